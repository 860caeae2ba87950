import LocationEngine
import LocationModel
import Testing

@Suite("The calibration of an adapter")
struct BeaconCalibrationTests {
  private typealias Refusal = BeaconCalibration.Refusal
  private var calibration = BeaconCalibration(needed: 10)

  @Test("BEACON-29: stores the mean of what one meter and three say of one meter")
  mutating func result() throws {
    try hear([-75, -76, -74, -75, -75, -75, -76, -75, -74, -75], at: .oneMeter)
    try hear(Array(repeating: -86, count: 10), at: .threeMeters)
    #expect(calibration.summary(at: .oneMeter)?.median == -75)
    #expect(calibration.isComplete(at: .threeMeters))
    let result = try calibration.result()
    #expect(result.adapter == adapter && result.offset == -17)
  }

  @Test("BEACON-29: refuses too little, and seconds without a signal count for nothing")
  mutating func little() throws {
    try hear(Array(repeating: -70, count: 9), at: .oneMeter)
    try calibration.add([reading(nil)], at: .oneMeter)
    try calibration.add([], at: .oneMeter)
    #expect(throws: Refusal.tooLittle(.oneMeter, heard: 9, needed: 10)) {
      try calibration.check(.oneMeter)
    }
    #expect(throws: Refusal.tooLittle(.threeMeters, heard: 0, needed: 10)) {
      try calibration.check(.threeMeters)
    }
  }

  @Test("BEACON-29: refuses a signal that moves")
  mutating func unsteady() throws {
    try hear([-60, -60, -60, -60, -60, -75, -75, -75, -75, -75], at: .oneMeter)
    #expect(throws: Refusal.unsteady(.oneMeter, spread: 15)) { try calibration.check(.oneMeter) }
  }

  @Test(
    "BEACON-29: refuses two distances that physics does not allow together",
    arguments: [-65, -70, -72, -90])
  mutating func disagree(far: Int) throws {
    try hear(Array(repeating: -70, count: 10), at: .oneMeter)
    try hear(Array(repeating: far, count: 10), at: .threeMeters)
    #expect(throws: Refusal.disagree(drop: Double(-70 - far))) { try calibration.result() }
  }

  @Test("BEACON-29: refuses another adapter, an unnamed one, a second beacon, and another claim")
  mutating func others() throws {
    let other = BluetoothAddress(bits: 7)
    #expect(throws: Refusal.unnamedAdapter) {
      try calibration.add([reading(-70, by: nil)], at: .oneMeter)
    }
    try calibration.add([reading(-70)], at: .oneMeter)
    #expect(throws: Refusal.otherAdapter(other, wanted: adapter)) {
      try calibration.add([reading(-70, by: other)], at: .oneMeter)
    }
    #expect(throws: Refusal.ambiguous) {
      try calibration.add([reading(-70, minor: 2)], at: .oneMeter)
    }
    #expect(throws: Refusal.otherClaim(-40, before: -59)) {
      try calibration.add([reading(-70, power: -40)], at: .oneMeter)
    }
    var named = BeaconCalibration(of: other)
    #expect(throws: Refusal.otherAdapter(adapter, wanted: other)) {
      try named.add([reading(-70)], at: .oneMeter)
    }
  }

  @Test("BEACON-29: refuses a beacon whose claim no radio can have")
  mutating func liar() throws {
    for _ in 0..<10 {
      try calibration.add([reading(-90, power: 20)], at: .oneMeter)
      try calibration.add([reading(-99, power: 20)], at: .threeMeters)
    }
    #expect(throws: Refusal.implausible(-110)) { try calibration.result() }
  }

  private mutating func hear(_ strengths: [Int], at place: BeaconCalibration.Place) throws {
    for rssi in strengths { try calibration.add([reading(rssi)], at: place) }
  }

  private func reading(
    _ rssi: Int?, minor: UInt16 = 1, power: Int = -59, by receiver: BluetoothAddress? = adapter
  ) -> BeaconRanger.Reading {
    BeaconRanger.Reading(
      identity: BeaconIdentity(uuid: BeaconUUID(high: 1, low: 2), major: 1, minor: minor),
      adapter: receiver, measuredPower: power, rssi: rssi, time: UnixTime(seconds: 0))
  }
}

private let adapter = BluetoothAddress(bits: 0x001a_7dda_7113)
