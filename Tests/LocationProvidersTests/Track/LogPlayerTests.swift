import LocationModel
import LocationProviders
import TestSupport
import Testing

@Suite("The log player")
struct LogPlayerTests {
  private func transcript(_ log: String, rate: Double = 1, for duration: Duration = .seconds(20))
    -> String
  {
    var bench = Bench(LogPlayer(Array(log.utf8), rate: rate)) { output in
      switch output {
      case .bytes(let bytes):
        String(decoding: bytes, as: UTF8.self).replacing("\r\n", with: "|")
          .replacing("\n", with: "|")
      case .finished: "finished"
      }
    }
    bench.run(for: duration)
    return bench.transcript
  }

  @Test("sends what a receiver said of each epoch at the pace of its times, without comments")
  func nmea() {
    let log = [
      "# Name: some", "$PGRMT,x", "$GPRMC,113258.00,A", "$GPGGA,113258.00,3", "$GPGSV,3",
      "$GPGGA,113259.50,3", "# remark", "$GPGLL,4,N,5,E,113301.50,A", "rest",
    ].joined(separator: "\r\n")
    #expect(
      transcript(log) == """
        00:00:00  $PGRMT,x|$GPRMC,113258.00,A|$GPGGA,113258.00,3|$GPGSV,3|
        00:00:01.500  $GPGGA,113259.50,3|
        00:00:03.500  $GPGLL,4,N,5,E,113301.50,A|rest
        00:00:04.500  finished
        """)
  }

  @Test("plays faster by its rate")
  func rate() {
    #expect(
      transcript("$GPRMC,000000,A\n$GPRMC,000010,A\n", rate: 10) == """
        00:00:00  $GPRMC,000000,A|
        00:00:01  $GPRMC,000010,A|
        00:00:01.100  finished
        """)
  }

  @Test("passes midnight, and does not wait where the times jump")
  func jumps() {
    #expect(
      transcript("$GPRMC,235959,A\n$GPRMC,000001,A\n$GPRMC,120000,A\n$GPRMC,110000,A\n") == """
        00:00:00  $GPRMC,235959,A|
        00:00:02  $GPRMC,000001,A|
        00:00:03  $GPRMC,120000,A|
        00:00:04  $GPRMC,110000,A|
        00:00:05  finished
        """)
  }

  @Test("follows the times of gpsd's reports")
  func json() {
    let first = #"{"class":"TPV","time":"2024-01-01T00:00:00Z"}"#
    let sky = #"{"class":"SKY","time":"2024-01-01T00:00:09Z"}"#
    let second = #"{"class":"TPV","time":"2024-01-01T00:00:02Z"}"#
    #expect(
      transcript([first, sky, second].joined(separator: "\n")) == """
        00:00:00  \(first)|\(sky)|
        00:00:02  \(second)
        00:00:03  finished
        """)
  }

  @Test("sends a log without times as fast as a serial line would")
  func untagged() {
    let log = [UInt8](repeating: 0xb5, count: 2000)
    var bench = Bench(LogPlayer(log))
    bench.run(for: .seconds(10))
    let sizes = bench.outputs.map { output in
      if case .bytes(let bytes) = output.output { bytes.count } else { 0 }
    }
    #expect(sizes == [960, 960, 80, 0])
    #expect(bench.outputs.map(\.at.nanoseconds) == [0, 1, 2, 3].map { $0 * 1_000_000_000 })
  }

  @Test("ends at once when the log is empty")
  func empty() {
    #expect(transcript("") == "00:00:00  finished")
  }
}

@Suite(
  "The log player, with recordings of real receivers",
  .enabled(if: !ReceiverLogs.all.isEmpty, "\(ReceiverLogs.areMissing)"))
struct LogPlayerRecordingTests {
  /// Those that the collections on this machine have.
  private static let names = ["garmin15x", "garmin48", "ac12", "bt-q818"].filter { name in
    ReceiverLogs.all.contains { $0.names.contains(name + ".log") }
  }

  @Test("sends every byte that is not a comment", arguments: names)
  func everyByte(name: String) throws {
    let log = try ReceiverLogs.bytes("\(name).log")
    var bench = Bench(LogPlayer(log, rate: 1000))
    bench.run(for: .seconds(600))
    let sent = bench.outputs.flatMap { output -> [UInt8] in
      if case .bytes(let bytes) = output.output { bytes } else { [] }
    }
    let kept = log.split(separator: 0x0a, omittingEmptySubsequences: false)
      .filter { $0.first != UInt8(ascii: "#") }
    #expect(sent == Array(kept.joined(separator: [0x0a])))
    #expect(bench.outputs.last?.output == .finished)
    #expect(bench.outputs.count > 4)
  }
}
