import LocationModel
import LocationProviders
import TestSupport
import Testing

@Suite("The compass of the kernel's sensors")
struct IIOCompassTests {
  private var bench: Bench<IIOCompass>
  private var device = SimulatedCompass()

  init() throws {
    bench = Bench(try #require(IIOCompass(SimulatedCompass.tree, stored: { _ in nil })))
  }

  @Test("asks for its files ten times a second while it runs")
  mutating func polling() {
    bench.send(.start)
    bench.send(.start)
    bench.run(for: .milliseconds(950))
    bench.send(.stop)
    bench.run(for: .seconds(5))
    #expect(bench.outputs.count == 10)
    let tree = SimulatedCompass.tree
    let paths = (tree.magnetometer?.paths ?? []) + (tree.accelerometer?.paths ?? [])
    #expect(bench.outputs.first?.output == .read(paths))
  }

  @Test(
    "points to the top edge however the device is tilted",
    arguments: [(0, 0), (30, 0), (60, 0), (89, 0), (0, 50), (0, -50), (0, 170), (-40, 0)]
      as [(Double, Double)])
  mutating func tilt(pitch: Double, roll: Double) throws {
    bench.send(.start)
    for heading in stride(from: 0.0, to: 360, by: 45) {
      let sample = try #require(point(heading, pitch: pitch, roll: roll))
      #expect(difference(sample.magneticHeading, heading) < 0.4)
      let inclination = try #require(sample.inclination)
      #expect(abs(inclination - 66) < 0.4)
      bench.run(for: .seconds(2))
    }
  }

  @Test("follows a turn within a second")
  mutating func follows() throws {
    bench.send(.start)
    point(10)
    for _ in 0..<10 {
      bench.run(for: .milliseconds(100))
      point(100)
    }
    let heading = try #require(samples.last?.magneticHeading)
    #expect(difference(heading, 100) < 1)
    let middle = samples[2].magneticHeading
    #expect((20...95).contains(middle))
  }

  @Test("says why a reading is no heading")
  mutating func rejections() {
    let readings = device.readings(heading: 0, pitch: 0, roll: 0)
    bench.send(.readings(readings))
    #expect(bench.outputs.isEmpty)
    bench.send(.start)
    bench.send(.readings([]))
    bench.send(.readings(readings.map { SysfsReading(path: $0.path, text: "0") }))
    device.inclination = 89
    bench.send(.readings(device.readings(heading: 0, pitch: 0, roll: 0)))
    #expect(
      bench.outputs.dropFirst().map(\.output) == [
        .rejected(.unreadable), .rejected(.shaken), .rejected(.fieldVertical),
      ])
  }

  @Test("HEAD-6: knows no accuracy before it is calibrated")
  mutating func uncalibrated() throws {
    bench.send(.start)
    let sample = try #require(point(10))
    #expect(sample.accuracy == nil)
  }

  @Test("learns hard iron from a few turns of the hand")
  mutating func hardIron() throws {
    device.hardIron = DeviceVector(x: 40, y: -25, z: 60)
    device.fieldNoise = 0.5
    bench.send(.start)
    wave(turns: 60, reach: 120)
    bench.run(for: .seconds(2))
    let sample = try #require(point(77))
    #expect(difference(sample.magneticHeading, 77) < 4)
    #expect(sample.accuracy.map { $0 < 10 } == true)
  }

  @Test("learns soft iron when turned every way, and keeps it")
  mutating func softIron() throws {
    device.hardIron = DeviceVector(x: 40, y: -25, z: 60)
    device.softIron = try #require(Matrix3([1.15, 0.06, 0, 0.06, 0.9, 0.04, 0, 0.04, 1.0]))
    device.fieldNoise = 0.3
    bench.send(.start)
    wave(turns: 600, reach: 180)
    let worst = try worstError()
    #expect(worst < 3)

    var kept: [UInt8]?
    for case .store(.set(let key, let value)) in bench.outputs.map(\.output) {
      #expect(key.name == "hmc5843")
      kept = value
    }
    let value = try #require(kept)
    bench = Bench(try #require(IIOCompass(SimulatedCompass.tree, stored: { _ in value })))
    bench.send(.start)
    #expect(try worstError() < 3)
    #expect(stores < 12)
  }

  @Test("keeps its calibration when the field is disturbed")
  mutating func disturbed() throws {
    device.fieldNoise = 0.3
    bench.send(.start)
    wave(turns: 300, reach: 180)
    let before = stores
    #expect(before > 0)
    device.hardIron = DeviceVector(x: 0, y: 30, z: 0)
    wave(turns: 20, reach: 20)
    device.hardIron = DeviceVector(x: 0, y: 0, z: 0)
    #expect(try worstError() < 3)
  }

  @Test("learns anew when a magnet is mounted for good")
  mutating func mounted() throws {
    device.fieldNoise = 0.3
    bench.send(.start)
    wave(turns: 300, reach: 180)
    device.hardIron = DeviceVector(x: 60, y: -50, z: 0)
    wave(turns: 600, reach: 180)
    #expect(try worstError() < 3)
  }

  @Test("reads no calibration from what is none")
  func brokenStore() {
    for text in ["", "[]", "[1,2]", "nonsense", "[" + String(repeating: "nan,", count: 13) + "1]"] {
      #expect(CompassCalibration(encoded: Array(text.utf8)) == nil)
    }
  }

  // MARK: - What a hand does

  /// Attitudes spread over `reach` degrees of pitch and roll, and all headings.
  private mutating func wave(turns: Int, reach: Double) {
    for turn in 0..<turns {
      point(
        Double(turn) * 77, pitch: reach * (unit(turn, 0.618) - 0.5),
        roll: reach * (unit(turn, 0.755) - 0.5) * 2)
      bench.run(for: .milliseconds(100))
    }
  }

  private func unit(_ turn: Int, _ step: Double) -> Double {
    (Double(turn) * step).truncatingRemainder(dividingBy: 1)
  }

  private mutating func worstError() throws -> Double {
    var worst = 0.0
    for heading in stride(from: 0.0, to: 360, by: 15) {
      bench.run(for: .seconds(2))
      let sample = try #require(point(heading, pitch: 20))
      worst = max(worst, difference(sample.magneticHeading, heading))
    }
    return worst
  }

  @discardableResult
  private mutating func point(
    _ heading: Double, pitch: Double = 0, roll: Double = 0
  ) -> HeadingSample? {
    bench.send(.readings(device.readings(heading: heading, pitch: pitch, roll: roll)))
    return samples.last
  }

  private var samples: [HeadingSample] {
    bench.outputs.compactMap { entry in
      guard case .observation(let sample) = entry.output else { return nil }
      return sample
    }
  }

  private var stores: Int {
    bench.outputs.count { entry in
      guard case .store = entry.output else { return false }
      return true
    }
  }
}

/// Degrees between two headings.
func difference(_ first: Double, _ second: Double) -> Double {
  let turn = normalizedDegrees(first - second)
  return min(turn, 360 - turn)
}
