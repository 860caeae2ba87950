import LocationModel
import LocationProviders
import TestSupport
import Testing

@Suite("A name on the bus")
struct BusNameTests {
  private static let name = "org.example.Service"
  private var bench = Bench(BusName(Self.name)) { output in
    switch output {
    case .enter: "enter"
    case .bus(.subscribe(let match)): "follow \(match.firstArgument ?? "")"
    case .bus(.call(_, let call)): "\(call.member) \(call.arguments[1].integer ?? -1)"
    case .bus: "?"
    case .changed(let standing): "\(standing)"
    }
  }

  private mutating func ask() {
    bench.send(.begin)
    bench.send(.bus(.connected))
  }

  private mutating func owner(from old: String, to new: String) {
    bench.send(.bus(.owner(of: Self.name, from: old, to: new)))
  }

  @Test("GEOCLUE-1: is asked for without replacing anybody")
  mutating func owned() {
    ask()
    bench.send(.bus(.reply(1, .values([.uint32(1)]))))
    bench.send(.begin)
    #expect(
      bench.transcript == """
        00:00:00  enter
        00:00:00  follow org.example.Service
        00:00:00  RequestName 4
        00:00:00  owned
        """)
  }

  @Test("GEOCLUE-1: stays with whoever has it, and is asked for again once they have gone")
  mutating func taken() {
    ask()
    bench.send(.bus(.reply(1, .values([.uint32(3)]))))
    owner(from: ":1.1", to: ":1.2")
    bench.run(for: .seconds(3600))
    owner(from: ":1.2", to: "")
    bench.send(.bus(.reply(2, .values([.uint32(1)]))))
    owner(from: "", to: ":1.9")
    #expect(
      bench.transcript == """
        00:00:00  enter
        00:00:00  follow org.example.Service
        00:00:00  RequestName 4
        00:00:00  taken
        01:00:00  RequestName 4
        01:00:00  owned
        """)
  }

  @Test("GEOCLUE-1: is asked for ever more rarely where the bus refuses, or is not there")
  mutating func refused() {
    bench.send(.begin)
    bench.send(.closed(reason: "no bus"))
    bench.run(for: .seconds(3))
    bench.send(.bus(.connected))
    bench.send(.bus(.reply(1, .error("AccessDenied"))))
    bench.run(for: .seconds(5))
    bench.send(.bus(.reply(2, .error("AccessDenied"))))
    bench.run(for: .seconds(9))
    bench.send(.bus(.reply(3, .values([.uint32(4)]))))
    bench.send(.bus(.disconnected))
    bench.run(for: .seconds(3))
    #expect(
      bench.transcript == """
        00:00:00  enter
        00:00:00  refused("no bus")
        00:00:02  enter
        00:00:03  follow org.example.Service
        00:00:03  RequestName 4
        00:00:03  refused("the bus refuses it: AccessDenied")
        00:00:07  RequestName 4
        00:00:16  RequestName 4
        00:00:17  owned
        00:00:17  refused("the bus has gone")
        00:00:19  enter
        """)
  }
}
