import LocationModel
import LocationProviders
import TestSupport
import Testing

@Suite("The time zone as a source")
struct ZoneDriverTests {
  private func outputs(_ target: String) -> [SourceOutput] {
    var bench = Bench(AnyDriver(Source.zone.driver))
    bench.send(.stored([]))
    for byte in target.utf8 { bench.send(.channel(.bytes([byte]))) }
    bench.send(.channel(.closed(.ended)))
    bench.run(for: .seconds(86_400))
    return bench.outputs.map(\.output)
  }

  @Test(
    "RADIO-40: is where the people of the zone live, read once",
    arguments: [
      "/usr/share/zoneinfo/Europe/Berlin", "../usr/share/zoneinfo/Europe/Berlin",
      "/usr/share/zoneinfo/posix/Europe/Berlin",
    ])
  func berlin(target: String) throws {
    let outputs = outputs(target)
    #expect(outputs.prefix(2) == [.status(.searching), .open(.timeZone)])
    guard case .fix(let fix)? = outputs.last else {
      Issue.record("no position")
      return
    }
    #expect(outputs.count == 4 && fix.origin.method == .region)
    #expect(abs(fix.coordinate.latitude - 51) < 1 && abs(fix.coordinate.longitude - 10) < 1)
    #expect((200_000...500_000).contains(fix.horizontalAccuracy))
  }

  @Test(
    "RADIO-40: invents no place for a zone without one, or for what is no zone",
    arguments: [
      "/usr/share/zoneinfo/Etc/UTC", "/usr/share/zoneinfo/UTC", "", "/zoneinfo/",
      "/usr/share/zoneinfo/Europe/Berlin 51", "/usr/share/zoneinfo/../../home",
      String(repeating: "x", count: 100_000),
    ])
  func none(target: String) {
    let outputs = outputs(target)
    #expect(!outputs.contains { if case .fix = $0 { true } else { false } })
    guard case .status(.unavailable(.missing))? = outputs.last else {
      Issue.record("\(outputs.suffix(1))")
      return
    }
  }

  @Test("RADIO-40: says that the link is missing")
  func missing() {
    var bench = Bench(AnyDriver(Source.zone.driver))
    bench.send(.stored([]))
    bench.send(.channel(.closed(.missing("no file"))))
    #expect(bench.outputs.last?.output == .status(.unavailable(.missing("no file"))))
  }

  @Test("RADIO-40: knows each zone of the table, older names too")
  func table() throws {
    for name in ["Asia/Calcutta", "Pacific/Truk", "America/New_York", "Australia/Sydney"] {
      let zone = try #require(TimeZonePlace(name: name), "\(name)")
      #expect(zone.center.isValid && (5000...5_000_000).contains(zone.radius))
    }
    #expect(TimeZonePlace(name: "WET") == nil)
  }
}
