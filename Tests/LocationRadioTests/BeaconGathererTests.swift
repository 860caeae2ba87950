import LocationModel
import LocationRadio
import Testing

@Suite("The gatherer of beacons")
struct BeaconGathererTests {
  private var gatherer = BeaconGatherer()
  private static let uuid = BeaconUUID(high: 7, low: 9)

  private static func moment(_ seconds: Double) -> Moment {
    Moment(uptime: .start + .seconds(seconds), unixTime: UnixTime(seconds: 1_750_000_000 + seconds))
  }

  private static func identity(_ number: Int) -> BeaconIdentity {
    BeaconIdentity(
      uuid: uuid, major: UInt16(truncatingIfNeeded: number >> 16),
      minor: UInt16(truncatingIfNeeded: number))
  }

  /// Passes an advertisement on, and returns the scans that it ends.
  private mutating func receive(_ number: Int, _ rssi: Int?, at seconds: Double) -> [RadioScan] {
    let sample = BeaconSample(
      identity: Self.identity(number), address: BluetoothAddress(bits: UInt64(number)),
      measuredPower: -59, rssi: rssi, time: Self.moment(seconds).unixTime)
    return scans(.received(sample), at: seconds)
  }

  private mutating func scans(_ input: BeaconGatherer.Input, at seconds: Double) -> [RadioScan] {
    gatherer.handle(input, at: Self.moment(seconds)).map { output in
      switch output {
      case .scan(let scan): scan
      }
    }
  }

  @Test("RADIO-77: joins what is received within three seconds, each beacon once, with mean values")
  mutating func joins() throws {
    #expect(gatherer.nextDeadline == nil)
    for (number, rssi, second) in [(2, -60, 10.0), (1, -80, 10.5), (2, -70, 12.0)] {
      #expect(receive(number, rssi, at: second).isEmpty)
    }
    #expect(gatherer.nextDeadline == .start + .seconds(13))
    #expect(scans(.wake, at: 12.9).isEmpty)
    let scan = try #require(scans(.wake, at: 13).first)
    #expect(scan.time == Self.moment(13).unixTime)
    #expect(scan.readings.map(\.transmitter) == [1, 2].map { .beacon(Self.identity($0)) })
    #expect(scan.readings.map(\.level) == [-80, -65])
    #expect(scan.readings.map(\.age) == [2.5, 2])
    #expect(gatherer.nextDeadline == nil)
    #expect(scans(.wake, at: 20).isEmpty)
  }

  @Test("RADIO-77: makes at most one scan in three seconds, also when a wake comes late")
  mutating func spacing() {
    var times: [UnixTime] = []
    for number in 0..<300 {
      times += receive(1, -60, at: 10 + Double(number) / 10).map(\.time)
    }
    #expect((9...10).contains(times.count))
    #expect(zip(times, times.dropFirst()).allSatisfy { $1.seconds(since: $0) > 2.99 })
  }

  @Test("RADIO-79: a beacon that is only said to be there was not received")
  mutating func silent() throws {
    #expect(receive(1, nil, at: 0).isEmpty)
    #expect(gatherer.nextDeadline == nil)
    _ = receive(2, -60, at: 1)
    _ = receive(1, nil, at: 2)
    let scan = try #require(scans(.wake, at: 4).first)
    #expect(scan.readings.map(\.transmitter) == [.beacon(Self.identity(2))])
  }

  @Test(
    "RADIO-81: of 10,000 identities the loudest 128 are used, and strengths stay those of a scan")
  mutating func hostile() throws {
    for number in 0..<10_000 { _ = receive(number, -90, at: Double(number) / 10_000) }
    for number in 0..<3 { _ = receive(20_000 + number, [-40, 20, -127][number], at: 1) }
    let scan = try #require(scans(.wake, at: 3).first)
    #expect(scan.readings.count == RadioMap.mostBoxes)
    #expect(scan.readings == scan.readings.sorted { $0.transmitter < $1.transmitter })
    let loud = scan.readings.filter { $0.level ?? -200 > -90 }
    #expect(loud.map(\.level) == [-40, -10])
    #expect(loud.map(\.transmitter) == [20_000, 20_001].map { .beacon(Self.identity($0)) })
  }
}
