import LocationEngine
import LocationModel
import TestSupport
import Testing

@Suite("The headings of real phones")
struct HeadingLogTests {
  @Test(
    "HEAD-4, HEAD-12: come out as the phone said, and fail beside the magnet of a purse",
    .enabled(if: SharedData.folder != nil, "\(SharedData.isMissing)"))
  func replay() throws {
    var counts = (headings: 0, untrusted: 0, questions: 0, failures: 0)
    for session in try LoggedHeading.sessions() {
      var bench = Bench(HeadingService(app: AppIdentity("log"), isFirst: false))
      bench.send(.filter(nil))
      bench.send(.start)
      for logged in session {
        bench.run(for: logged.time - (bench.now.uptime - .start))
        bench.send(.declination(logged.trueHeading - logged.magneticHeading))
        bench.send(.sample(logged.sample))
        guard case .deliver(let heading)? = bench.outputs.last?.output else { continue }
        let trueHeading = try #require(heading.trueHeading)
        #expect((0..<360).contains(trueHeading))
        let turn = abs(trueHeading - logged.trueHeading)
        #expect(min(turn, 360 - turn) < 1e-9)
        counts.headings += 1
        counts.untrusted += heading.accuracy == nil ? 1 : 0
      }
      counts.questions += bench.outputs.count { $0.output == .askCalibration }
      counts.failures += bench.outputs.count { $0.output == .fail(.interference) }
    }
    // Eight of 56 sessions: a purse with a magnet of up to 600 microtesla.
    #expect(counts == (headings: 2224, untrusted: 10, questions: 0, failures: 8))
  }
}

/// A line of the shared heading log.
private struct LoggedHeading {
  /// Since the session began.
  var time: Duration
  var trueHeading: Double
  var magneticHeading: Double
  var accuracy: Double
  var field: DeviceVector

  var sample: HeadingSample {
    HeadingSample(
      magneticHeading: magneticHeading, accuracy: accuracy, field: field,
      time: UnixTime(seconds: 1_700_000_000) + time)
  }

  static func sessions() throws -> [[LoggedHeading]] {
    var sessions: [(name: Substring, start: Double, headings: [LoggedHeading])] = []
    for line in try SharedData.lines("heading/clheading-mit-matrix.csv.gz").dropFirst() {
      let fields = line.split(separator: ",")
      let numbers = fields.dropFirst().compactMap { Double($0) }
      try #require(numbers.count == 7)
      if sessions.last?.name != fields[0] { sessions.append((fields[0], numbers[0], [])) }
      let start = sessions[sessions.count - 1].start
      sessions[sessions.count - 1].headings.append(
        LoggedHeading(
          time: .seconds(numbers[0] - start), trueHeading: numbers[1],
          magneticHeading: numbers[2], accuracy: numbers[3],
          field: DeviceVector(x: numbers[4], y: numbers[5], z: numbers[6])))
    }
    return sessions.map(\.headings)
  }
}
