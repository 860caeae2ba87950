import Foundation
import LocationModel
import LocationProviders
import TestSupport
import Testing

@Suite("gpsd's protocol, served")
struct GpsdServerTests {
  private var bench = Bench(GpsdServer(receivers: ["/dev/gps0"]))

  /// How many outputs were looked at.
  private var seen = 0

  init() { bench.send(.allowed(true)) }

  /// What a connection was sent, as text, since the last question; and how it was closed.
  private mutating func said(to number: Int) -> String {
    defer { seen = bench.outputs.count }
    return bench.outputs[seen...].compactMap { entry -> String? in
      switch entry.output {
      case .send(number, let bytes): String(decoding: bytes, as: UTF8.self)
      case .close(number, let reason): "closed: \(reason)"
      case .send, .close, .watched: nil
      }
    }.joined()
  }

  private mutating func ask(_ text: String, of number: Int = 1) -> String {
    bench.send(.bytes(number, Array(text.utf8)))
    return said(to: number)
  }

  private static let sentences =
    "$GPRMC,120000.00,A,4830.0000,N,01130.0000,E,9.7,90.0,260726,,,A*61\r\n"
    + "$GPGGA,120000.00,4830.0000,N,01130.0000,E,1,09,0.9,500.0,M,47.0,M,,*65\r\n"

  @Test("SERVE-2: greets, and answers what gpsd's programs ask")
  mutating func requests() {
    bench.send(.opened(1))
    #expect(said(to: 1).hasPrefix("{\"class\":\"VERSION\",\"release\":\"3.22\""))
    #expect(ask("?VERSION;\n").contains("\"proto_major\":3,\"proto_minor\":14"))
    #expect(ask("?DEVICES;").contains("{\"class\":\"DEVICE\",\"path\":\"/dev/gps0\""))
    let watch = ask("?WATCH={\"enable\":true,\"json\":true}")
    #expect(watch == "")
    #expect(ask(";").contains("{\"class\":\"WATCH\",\"enable\":true,\"json\":true,\"nmea\":false"))
    #expect(ask("?POLL;").contains("\"active\":0,\"tpv\":[]"))
    #expect(
      ask("?NONE;") == "{\"class\":\"ERROR\",\"message\":\"Unrecognized request '?NONE'\"}\r\n")
    #expect(ask("?WATCH={\"enable\":tr};").contains("Invalid WATCH"))
  }

  @Test("SERVE-3: receivers are needed while anybody watches")
  mutating func demand() {
    bench.send(.opened(1))
    bench.send(.opened(2))
    _ = ask("?WATCH={\"enable\":true};", of: 1)
    bench.send(.bytes(2, Array("?WATCH={\"enable\":true};".utf8)))
    bench.send(.closed(1))
    #expect(!bench.outputs.contains { $0.output == .watched(false) })
    bench.send(.closed(2))
    #expect(bench.outputs.contains { $0.output == .watched(false) })
  }

  @Test("SERVE-4: sentences become reports, and pass as they are to who wants them")
  mutating func reports() {
    for number in [1, 2] { bench.send(.opened(number)) }
    _ = ask("?WATCH={\"enable\":true};", of: 1)
    _ = ask("?WATCH={\"enable\":true,\"nmea\":true};", of: 2)
    bench.send(.receiver(0, .opened))
    seen = bench.outputs.count
    // In pieces: what is passed on is whole lines.
    let bytes = Array(Self.sentences.utf8)
    bench.send(.receiver(0, .bytes(Array(bytes[..<40]))))
    bench.send(.receiver(0, .bytes(Array(bytes[40...]))))
    bench.run(for: .seconds(1))
    let outputs = bench.outputs[seen...].map(\.output)
    let texts = [1, 2].map { number in
      outputs.compactMap { output -> String? in
        guard case .send(number, let bytes) = output else { return nil }
        return String(decoding: bytes, as: UTF8.self)
      }.joined()
    }
    #expect(texts[0].contains("\"mode\":3,\"time\":\"2026-07-26T12:00:00"))
    #expect(texts[0].contains("\"lat\":48.500000000,\"lon\":11.500000000,\"altHAE\":547.0000"))
    #expect(!texts[0].contains("$GP"))
    #expect(texts[1] == Self.sentences)
    #expect(ask("?POLL;").contains("\"active\":1,\"tpv\":[{\"class\":\"TPV\""))
  }

  @Test(
    "SERVE-4: each mode of ?WATCH gets what it names",
    arguments: [
      ("\"json\":true", true, false), ("\"nmea\":true", false, true), ("\"raw\":1", false, true),
      ("\"raw\":2", false, true), ("\"json\":true,\"nmea\":true", true, true),
      ("\"raw\":0", false, false), ("\"json\":false", false, false),
      ("\"json\":true,\"device\":\"/dev/gps0\"", true, false),
      ("\"pps\":true,\"scaled\":true", true, false),
    ])
  mutating func modes(_ words: String, json: Bool, sentences: Bool) {
    bench.send(.opened(1))
    let answer = ask("?WATCH={\"enable\":true,\(words)};")
    #expect(answer.contains("\"class\":\"WATCH\",\"enable\":true"))
    bench.send(.receiver(0, .bytes(Array(Self.sentences.utf8))))
    bench.run(for: .seconds(1))
    let text = said(to: 1)
    #expect(text.contains("\"class\":\"TPV\"") == json)
    #expect(text.contains("$GPGGA") == sentences)
    // Nothing more, once it watches no longer.
    _ = ask("?WATCH={\"enable\":false};")
    bench.send(.receiver(0, .bytes(Array(Self.sentences.utf8))))
    bench.run(for: .seconds(1))
    #expect(said(to: 1) == "")
  }

  @Test("SERVE-2: ?WATCH alone says how it is, and a receiver that is not there is an error")
  mutating func watchWords() {
    bench.send(.opened(1))
    #expect(ask("?WATCH;").contains("\"class\":\"WATCH\",\"enable\":false"))
    let other = ask("?WATCH={\"enable\":true,\"device\":\"/dev/gps9\"};")
    #expect(other.contains("Do not see device /dev/gps9"))
    #expect(!bench.outputs.contains { $0.output == .watched(true) })
  }

  @Test("SERVE-5: without permission nothing of the device is said")
  mutating func denied() {
    bench.send(.allowed(false))
    bench.send(.opened(1))
    let answer = ask("?WATCH={\"enable\":true,\"nmea\":true,\"json\":true};")
    #expect(answer.contains("\"devices\":[]") && answer.contains("locationctl authorize"))
    bench.send(.receiver(0, .bytes(Array(Self.sentences.utf8))))
    bench.run(for: .seconds(1))
    #expect(said(to: 1) == "")
    #expect(ask("?POLL;").contains("\"tpv\":[]"))
    // What came meanwhile is not said afterwards.
    bench.send(.allowed(true))
    #expect(ask("?POLL;").contains("\"tpv\":[]"))
  }

  @Test("SERVE-6: connections, requests, and their lengths are bounded")
  mutating func bounds() {
    for number in 1...GpsdServer.mostClients { bench.send(.opened(number)) }
    bench.send(.opened(99))
    #expect(said(to: 99).contains("closed: \(GpsdServer.mostClients) programs are served"))
    #expect(bench.machine.clientCount == GpsdServer.mostClients)
    let flood = ask(String(repeating: "?VERSION;", count: GpsdServer.mostRequests + 1), of: 1)
    #expect(flood.contains("closed: more than \(GpsdServer.mostRequests) requests in a second"))
    let long = ask(String(repeating: "x", count: GpsdServer.longestRequest + 1), of: 2)
    #expect(long.contains("closed: a request is longer"))
    #expect(bench.machine.clientCount == GpsdServer.mostClients - 2)
  }

  // MARK: gpsd's own reports

  /// Logs of NMEA whose time gpsd has as it is written.
  private static let logs = [
    "bt-q818.log", "bt451.log", "bu353s4.log", "ch-4701.log", "et-332.log",
    "firefly-II.log", "gpslim236.log",
  ]

  private struct Report: Decodable {
    var `class`: String
    var mode: Int?
    var time: String?
    var lat, lon, altMSL, speed: Double?
  }

  private static func solutions(_ text: some StringProtocol) -> [String: Report] {
    let reports = text.split(whereSeparator: \.isNewline).filter { $0.contains("\"TPV\"") }
      .compactMap { try? JSONDecoder().decode(Report.self, from: Data($0.utf8)) }
    // gpsd reports an epoch more than once until it has learned the cycle; the last one counts.
    return Dictionary(
      reports.filter { $0.mode ?? 0 >= 2 && $0.lat != nil }.compactMap { report in
        report.time.map { (String($0.dropFirst(10)), report) }
      }, uniquingKeysWith: { $1 })
  }

  @Test(
    "SERVE-7: the position is gpsd's for the same bytes",
    .enabled(if: !ReceiverLogs.all.isEmpty, "\(ReceiverLogs.areMissing)"),
    arguments: logs.filter { name in ReceiverLogs.all.contains { $0.names.contains(name) } })
  mutating func same(_ name: String) throws {
    let logs = try #require(ReceiverLogs.all.first { $0.names.contains(name) })
    bench.send(.opened(1))
    _ = ask("?WATCH={\"enable\":true};")
    for line in String(decoding: try logs.bytes(name), as: UTF8.self)
      .split(whereSeparator: \.isNewline) where line.hasPrefix("$")
    {
      bench.send(.receiver(0, .bytes(Array((line + "\r\n").utf8))))
    }
    bench.run(for: .seconds(1))
    let ours = Self.solutions(said(to: 1))
    let theirs = Self.solutions(String(decoding: try logs.reports(name), as: UTF8.self))
    let both = Set(ours.keys).intersection(theirs.keys).sorted()
    #expect(both.count * 10 >= theirs.count * 9, "\(both.count) of \(theirs.count)")
    #expect(!both.isEmpty)
    for time in both {
      let (our, their) = (try #require(ours[time]), try #require(theirs[time]))
      #expect(abs((our.lat ?? 0) - (their.lat ?? 90)) < 2e-9, "\(time)")
      #expect(abs((our.lon ?? 0) - (their.lon ?? 90)) < 2e-9, "\(time)")
      if let high = our.altMSL, let other = their.altMSL { #expect(abs(high - other) < 1e-3) }
      if let speed = our.speed, let other = their.speed { #expect(abs(speed - other) < 2e-3) }
    }
  }
}
