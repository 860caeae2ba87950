import LocationModel
import LocationProviders
import TestSupport
import Testing

@Suite("The client of gpsd")
struct GpsdClientTests {
  private static let greeting =
    #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"#

  var bench = Bench(GpsdClient()) { output in
    switch output {
    case .connect: "connect"
    case .disconnect: "disconnect"
    case .send(let bytes): "send \(String(decoding: bytes.dropLast(), as: UTF8.self))"
    case .fix(let fix, let device):
      "fix \(device ?? "-") \(fix.time.iso8601.dropFirst(17)) altitude \(fix.altitude ?? -1)"
    case .attitude(let attitude): "heading \(attitude.trueHeading ?? -1)"
    case .devices(let devices):
      "devices \(devices.map { "\($0.path)\($0.isActive ? "" : " off")" }.joined(separator: ", "))"
    case .status(let status): "\(status)"
    case .rejected(let reason, let device): "rejected \(reason) \(device ?? "-")"
    }
  }

  private mutating func say(_ lines: String...) {
    for line in lines { bench.send(.bytes(Array((line + "\r\n").utf8))) }
  }

  private mutating func connect() {
    bench.run(for: .zero)
    bench.send(.connected)
    say(Self.greeting)
  }

  /// What the machine said after `count` outputs.
  private func transcript(after count: Int) -> String {
    bench.transcript.split(separator: "\n").dropFirst(count).joined(separator: "\n")
  }

  private func report(second: Int, device: String = "/dev/a", _ more: String = "") -> String {
    """
    {"class":"TPV","device":"\(device)","mode":3,"time":"2024-01-01T00:00:0\(second).000Z",\
    "lat":47.1,"lon":9.5,"eph":16.214,"speed":1.0\(more)}
    """
  }

  private let full = #","altMSL":450.0,"epv":19.6"#

  @Test("ADMIN-1: names the satellites of the last SKY that has any, of gpsd old and new")
  mutating func sky() {
    connect()
    say(
      #"{"class":"SKY","device":"/dev/a","nSat":3,"uSat":1,"satellites":["#
        + #"{"PRN":5,"el":45.0,"az":120.0,"ss":38.0,"used":true,"gnssid":0,"svid":5},"#
        + #"{"PRN":301,"el":10.0,"az":20.0,"ss":0.0,"used":false,"gnssid":2,"svid":1},"#
        + #"{"PRN":70,"used":false},{"PRN":9999},7]}"#,
      #"{"class":"SKY","device":"/dev/a","hdop":1.1}"#)
    let seen = bench.machine.sky
    #expect(seen.map(\.system) == [.gps, .galileo, .glonass])
    #expect(seen.map(\.number) == [5, 1, 6])
    #expect(seen.map(\.isUsed) == [true, false, false])
    #expect(seen[0].elevation == 45 && seen[0].azimuth == 120 && seen[0].signal == 38)
    #expect(GpsdSatellites.read(Array(#"{"class":"SKY","satellites":[{"PRN":1"#.utf8)).isEmpty)
    bench.send(.closed(reason: "over"))
    #expect(bench.machine.sky.isEmpty)
  }

  @Test("greets, asks for reports, and lists the receivers")
  mutating func handshake() {
    connect()
    say(
      #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/b","driver":"NMEA0183","#
        + #""activated":"2024-01-01T00:00:00.000Z","native":0},{"class":"DEVICE","path":"/dev/a"}]}"#,
      #"{"class":"WATCH","enable":true,"json":true,"nmea":false,"raw":0}"#)
    #expect(
      bench.transcript == """
        00:00:00  connect
        00:00:00  serving(release: "3.22", protocolMajor: 3, protocolMinor: 14)
        00:00:00  send ?WATCH={"enable":true,"json":true};
        00:00:00  devices /dev/a off, /dev/b
        """)
  }

  @Test("connects again after growing waits that begin anew when a server has answered")
  mutating func backoff() {
    bench.run(for: .zero)
    for _ in 0..<4 {
      bench.send(.closed(reason: "refused"))
      bench.send(.closed(reason: "refused"))
      bench.run(for: .seconds(8))
    }
    bench.send(.connected)
    say(Self.greeting)
    bench.send(.closed(reason: "gone"))
    bench.run(for: .seconds(3))
    let connections = bench.outputs.filter { $0.output == .connect }.map(\.at)
    #expect(
      connections.map { $0.nanoseconds / 1_000_000_000 } == [0, 1, 10, 20, 32, 33])
  }

  @Test("waits no longer than the longest wait, however often it fails")
  mutating func longestBackoff() throws {
    for _ in 0..<12 {
      bench.run(for: .seconds(64))
      bench.send(.closed(reason: "refused"))
    }
    guard case .status(.lost(_, let retryAt)) = try #require(bench.outputs.last).output else {
      Issue.record("no loss was reported")
      return
    }
    #expect(retryAt - bench.now.uptime == .seconds(64))
  }

  @Test("gives up a server that does not introduce itself")
  mutating func mute() {
    bench.run(for: .zero)
    bench.send(.connected)
    bench.run(for: .seconds(5.5))
    #expect(
      transcript(after: 1) == """
        00:00:05  disconnect
        00:00:05  lost(reason: "the server does not introduce itself as gpsd", \
        retryAt: LocationModel.Instant(nanoseconds: 6000000000))
        """)
  }

  @Test("asks a silent server for a word, and gives up when there is none")
  mutating func silence() {
    connect()
    bench.run(for: .seconds(35))
    say(Self.greeting)
    bench.run(for: .seconds(40.5))
    #expect(
      transcript(after: 3) == """
        00:00:30  send ?VERSION;
        00:01:05  send ?VERSION;
        00:01:15  disconnect
        00:01:15  lost(reason: "the server has fallen silent", \
        retryAt: LocationModel.Instant(nanoseconds: 76000000000))
        """)
  }

  @Test("emits a full report at once and makes one fix of an epoch's several reports")
  mutating func coalescing() {
    connect()
    say(
      report(second: 0), report(second: 0, full), report(second: 0, full), report(second: 1, full))
    #expect(
      transcript(after: 3) == """
        00:00:00  solving(device: Optional("/dev/a"))
        00:00:00  fix /dev/a 00.000Z altitude 450.0
        00:00:00  rejected repeatedEpoch /dev/a
        00:00:00  fix /dev/a 01.000Z altitude 450.0
        """)
  }

  @Test("waits a little for a better report, then emits the best it has")
  mutating func timeout() {
    connect()
    say(report(second: 0))
    bench.run(for: .seconds(1))
    #expect(transcript(after: 4) == "00:00:00.500  fix /dev/a 00.000Z altitude -1.0")
  }

  @Test("emits what waits when the next epoch begins")
  mutating func nextEpoch() {
    connect()
    say(report(second: 0), report(second: 1, full))
    #expect(
      transcript(after: 4) == """
        00:00:00  fix /dev/a 00.000Z altitude -1.0
        00:00:00  fix /dev/a 01.000Z altitude 450.0
        """)
  }

  @Test("learns that a receiver never says more, and then no longer waits for it")
  mutating func learning() {
    connect()
    for second in 0..<5 {
      say(report(second: second))
      bench.run(for: .seconds(1))
    }
    #expect(
      transcript(after: 4) == """
        00:00:00.500  fix /dev/a 00.000Z altitude -1.0
        00:00:01.500  fix /dev/a 01.000Z altitude -1.0
        00:00:02.500  fix /dev/a 02.000Z altitude -1.0
        00:00:03  fix /dev/a 03.000Z altitude -1.0
        00:00:04  fix /dev/a 04.000Z altitude -1.0
        """)
  }

  @Test("refuses an older epoch, and follows a clock that was set back")
  mutating func olderEpoch() {
    connect()
    say(report(second: 5, full), report(second: 4, full))
    say(report(second: 5, full).replacing("2024-", with: "2023-"))
    #expect(
      transcript(after: 4) == """
        00:00:00  fix /dev/a 05.000Z altitude 450.0
        00:00:00  rejected olderEpoch /dev/a
        00:00:00  fix /dev/a 05.000Z altitude 450.0
        """)
  }

  @Test("follows a clock that goes on from a little earlier, as a recording does in a loop")
  mutating func restartedRecording() {
    connect()
    for second in [3, 4, 5, 3, 4, 5] { say(report(second: second, full)) }
    #expect(
      transcript(after: 4) == """
        00:00:00  fix /dev/a 03.000Z altitude 450.0
        00:00:00  fix /dev/a 04.000Z altitude 450.0
        00:00:00  fix /dev/a 05.000Z altitude 450.0
        00:00:00  rejected olderEpoch /dev/a
        00:00:00  fix /dev/a 04.000Z altitude 450.0
        00:00:00  fix /dev/a 05.000Z altitude 450.0
        """)
  }

  @Test("keeps several receivers apart")
  mutating func severalReceivers() {
    connect()
    say(
      report(second: 0, device: "/dev/a", full), report(second: 0, device: "/dev/b"),
      report(second: 1, device: "/dev/a", full), report(second: 0, device: "/dev/b", full))
    #expect(
      transcript(after: 3) == """
        00:00:00  solving(device: Optional("/dev/a"))
        00:00:00  fix /dev/a 00.000Z altitude 450.0
        00:00:00  solving(device: Optional("/dev/b"))
        00:00:00  fix /dev/a 01.000Z altitude 450.0
        00:00:00  fix /dev/b 00.000Z altitude 450.0
        """)
  }

  @Test("emits what waits when a receiver is unplugged, and receives it when it is back")
  mutating func unplugged() {
    connect()
    let back = #"{"class":"DEVICE","path":"/dev/a","activated":"2024-01-01T00:00:00.000Z"}"#
    say(back, report(second: 5), #"{"class":"DEVICE","path":"/dev/a","activated":0}"#, back)
    say(report(second: 0, full))
    #expect(
      transcript(after: 3) == """
        00:00:00  devices /dev/a
        00:00:00  solving(device: Optional("/dev/a"))
        00:00:00  fix /dev/a 05.000Z altitude -1.0
        00:00:00  devices /dev/a off
        00:00:00  devices /dev/a
        00:00:00  solving(device: Optional("/dev/a"))
        00:00:00  fix /dev/a 00.000Z altitude 450.0
        """)
  }

  @Test("says when a receiver loses and finds its solution, once each")
  mutating func noSolution() {
    connect()
    say(#"{"class":"TPV","mode":1}"#, #"{"class":"TPV","mode":0}"#)
    say(report(second: 0, full).replacing(#""device":"/dev/a","#, with: ""))
    say(#"{"class":"TPV","mode":1}"#)
    #expect(
      transcript(after: 3) == """
        00:00:00  noFix(device: nil)
        00:00:00  solving(device: nil)
        00:00:00  fix - 00.000Z altitude 450.0
        00:00:00  noFix(device: nil)
        """)
  }

  @Test("border 12: a server that names a hundred receivers is followed for 64 of them")
  mutating func manyReceivers() {
    connect()
    for number in 100..<200 { say(report(second: 0, device: "/dev/\(number)", full)) }
    let fixes = bench.outputs.count { if case .fix = $0.output { true } else { false } }
    #expect(fixes == GpsdReceivers.mostReceivers)
    let before = bench.outputs.count
    say(report(second: 1, device: "/dev/199", full), report(second: 1, device: "/dev/100", full))
    #expect(bench.outputs.count == before + 1)
  }

  @Test("border 12: names the reason for everything it refuses, and goes on")
  mutating func rejections() {
    connect()
    say(
      #"{"class":"TPV","mode":3,"lat":1,"lon":2,"eph":3}"#,
      #"{"class":"TPV","mode":2,"time":"2024-01-01T00:00:00Z","lat":nan,"lon":2,"eph":3}"#,
      #"{"class":"TPV","mode":2,"time":"2024-01-01T00:00:00Z","lat":91,"lon":2,"eph":3}"#,
      #"{"class":"TPV","mode":2,"time":"2024-01-01T00:00:00Z","lat":1,"lon":2}"#,
      #"{"class":"TPV","mode":2"#, #"{"mode":2}"#, #"{"class":"NEWS","x":[[1]]}"#,
      #"{"class":"ERROR","message":"Unrecognized request '?X'"}"#,
      String(repeating: "x", count: 70_000), report(second: 0, full))
    #expect(
      transcript(after: 4) == """
        00:00:00  rejected noTime -
        00:00:00  rejected noPosition -
        00:00:00  rejected invalidPosition -
        00:00:00  rejected noAccuracy -
        00:00:00  rejected malformed(it ends too early) -
        00:00:00  rejected unclassified -
        00:00:00  complaint("Unrecognized request \\'?X\\'")
        00:00:00  rejected lineTooLong -
        00:00:00  solving(device: Optional("/dev/a"))
        00:00:00  fix /dev/a 00.000Z altitude 450.0
        """)
  }

  @Test("reads the heading of a receiver that has one")
  mutating func heading() {
    connect()
    say(#"{"class":"ATT","heading":-85.93,"mheading":218.661,"pitch":0.14,"roll":3.871}"#)
    guard case .attitude(let attitude) = bench.outputs.last?.output else {
      Issue.record("no heading")
      return
    }
    #expect(attitude.trueHeading == 360 - 85.93)
    #expect(attitude.magneticHeading == 218.661)
    #expect(attitude.pitch == 0.14)
    #expect(attitude.roll == 3.871)
  }

  @Test("understands a server of protocol 2, whose dates are seconds")
  mutating func oldProtocol() {
    connect()
    say(
      #"{"class":"TPV","tag":"MID2","device":"/dev/a","time":1270517264.240,"ept":0.005,"#
        + #""lat":40.035093060,"lon":-75.519748733,"alt":31.1,"eph":10,"epv":9,"speed":0,"mode":3}"#
    )
    #expect(transcript(after: 4) == "00:00:00  fix /dev/a 44.240Z altitude 31.1")
  }

  @Test("ignores bytes that arrive while it is not connected")
  mutating func notConnected() {
    bench.send(.bytes(Array(Self.greeting.utf8)))
    #expect(bench.outputs.isEmpty)
  }
}
