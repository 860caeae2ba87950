import LocationModel
import LocationProviders
import TestSupport
import Testing

@Suite("The compass of iio-sensor-proxy")
struct SensorProxyCompassTests {
  private var bench = Bench(SensorProxyCompass(), describe: line)

  @Test("claims the compass while headings are wanted, and receives the first and every other one")
  mutating func headings() {
    bench.send(.start)
    bench.send(.bus(.connected))
    answer(.values([.properties(["HasCompass": .boolean(true)])]))
    answer(.values([]))
    answer(.values([.variant(.double(150))]))
    turn(153)
    turn(360)
    bench.send(.stop)
    turn(156)
    #expect(
      bench.transcript == """
        00:00:00  subscribe NameOwnerChanged
        00:00:00  subscribe PropertiesChanged
        00:00:00  GetAll
        00:00:00  present
        00:00:00  ClaimCompass
        00:00:00  Get
        00:00:00  150.0
        00:00:00  153.0
        00:00:00  0.0
        00:00:00  ReleaseCompass
        """)
  }

  @Test("refuses a heading that is none", arguments: [15540, -1, Double.nan])
  mutating func impossible(heading: Double) {
    claim()
    turn(heading)
    #expect(bench.transcript.hasSuffix("rejected"))
  }

  @Test("says when the bus policy keeps the compass to GeoClue")
  mutating func denied() {
    bench.send(.start)
    bench.send(.bus(.connected))
    answer(.error("org.freedesktop.DBus.Error.AccessDenied"))
    #expect(bench.transcript.hasSuffix("denied"))
  }

  @Test("says when there is no compass")
  mutating func absent() {
    bench.send(.start)
    bench.send(.bus(.connected))
    answer(.values([.properties(["HasCompass": .boolean(false)])]))
    #expect(bench.transcript.hasSuffix("absent"))
    change(.properties(["HasCompass": .boolean(true)]))
    #expect(bench.transcript.hasSuffix("present\n00:00:00  ClaimCompass"))
  }

  @Test("claims again when the proxy was started anew")
  mutating func restart() {
    claim()
    owner("")
    turn(10)
    owner(":1.5")
    answer(.values([.properties(["HasCompass": .boolean(true)])]))
    #expect(
      bench.transcript.hasSuffix(
        "absent\n00:00:00  GetAll\n00:00:00  present\n00:00:00  ClaimCompass"))
  }

  private mutating func claim() {
    bench.send(.start)
    bench.send(.bus(.connected))
    answer(.values([.properties(["HasCompass": .boolean(true)])]))
    answer(.values([]))
  }

  private mutating func turn(_ heading: Double) {
    change(.properties(["CompassHeading": .double(heading)]))
  }

  private mutating func change(_ changes: BusValue) {
    let interface = "net.hadess.SensorProxy.Compass"
    bench.send(
      .bus(ScriptedBlueZ.changed("/net/hadess/SensorProxy/Compass", interface, changes)))
  }

  private mutating func owner(_ name: String) {
    bench.send(.bus(.owner(of: "net.hadess.SensorProxy", from: "", to: name)))
  }

  private mutating func answer(_ reply: BusReply) {
    let numbers = bench.outputs.compactMap { entry -> Int? in
      guard case .bus(.call(let number, _)) = entry.output else { return nil }
      return number
    }
    bench.send(.bus(.reply(numbers.last ?? 0, reply)))
  }
}

private func line(_ output: SensorProxyCompass.Output) -> String? {
  switch output {
  case .bus(let action): word(action)
  case .observation(let sample): "\(sample.magneticHeading)"
  case .availability(let availability): "\(availability)"
  case .rejected: "rejected"
  }
}
