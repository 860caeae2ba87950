import LocationModel
import LocationProviders
import LocationService
import TestSupport
import Testing

@Suite("All radios while nobody asks")
struct RadioRestTests {
  private static let radios = [
    "wifi:", "modem:", "bluez:", "zone:", "scans+tcp://radio:1", "ichnaea:https://locate.test",
    "iio:", "geosubmit:https://give.test",
  ]
  private static let sensors = ProviderID(6)

  private func expectRest(
    _ computer: WiFiStart, opening expected: Set<ProviderID>, _ location: SourceLocation
  ) {
    let open = Set(computer.channels.map(\.provider))
    #expect(open == expected, sourceLocation: location)
    #expect(computer.bench.machine.nextDeadline == nil, sourceLocation: location)
  }

  @Test(
    "RADIO-37: nothing is awaited, and nothing open but the bus of the sensors, before the first client and after the last",
    arguments: [true, false])
  func rest(hasBus: Bool) throws {
    var computer = try WiFiStart(
      map: [], at: 30, heard: .seconds(10), hasBus: hasBus, Self.radios)
    let expected: Set<ProviderID> = hasBus ? [Self.sensors] : []
    // Without a bus, it is looked for during half a minute.
    computer.run(seconds: 32)
    expectRest(computer, opening: expected, #_sourceLocation)
    let before = computer.bench.outputs.count
    computer.run(seconds: 86_400)
    #expect(computer.bench.outputs.count == before)
    computer.start()
    computer.run(seconds: 100)
    #expect(computer.channels.count > expected.count)
    #expect(computer.bench.machine.nextDeadline != nil)
    computer.stop()
    computer.run(seconds: 61)
    expectRest(computer, opening: expected, #_sourceLocation)
  }
}
