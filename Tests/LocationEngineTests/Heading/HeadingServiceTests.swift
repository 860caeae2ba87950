import LocationEngine
import LocationModel
import TestSupport
import Testing

@Suite("The heading service")
struct HeadingServiceTests {
  private var bench = Bench(HeadingService(app: app, isFirst: false), describe: line)

  @Test("HEAD-1: delivers the first heading, then changes of the filter since the last delivered")
  mutating func filter() {
    bench.send(.start)
    for degrees in [10, 10.5, 10.9, 11.1, 11.5, 10.05] { point(degrees) }
    #expect(delivered == [10, 11.1, 10.05])
  }

  @Test("HEAD-1: counts the filter across north")
  mutating func wrap() {
    bench.send(.start)
    bench.send(.filter(5))
    for degrees in [358, 2, 3.5, 359, 358] { point(degrees) }
    #expect(delivered == [358, 3.5, 358])
  }

  @Test("HEAD-1: delivers every heading without a filter")
  mutating func noFilter() {
    bench.send(.filter(nil))
    bench.send(.start)
    for _ in 0..<3 { point(7) }
    #expect(delivered == [7, 7, 7])
  }

  @Test("HEAD-2: does nothing without a compass")
  mutating func unavailable() {
    bench.send(.available(false))
    bench.send(.start)
    point(7)
    #expect(delivered.isEmpty)
    #expect(!bench.machine.needsMagnetometer)
  }

  @Test("HEAD-3: starts again in silence, and afresh after a stop")
  mutating func restart() {
    bench.send(.start)
    point(7)
    bench.send(.start)
    point(7)
    #expect(delivered == [7])
    bench.send(.stop)
    point(7)
    bench.send(.start)
    point(7)
    #expect(delivered == [7, 7])
  }

  @Test("HEAD-4: knows true north only with a declination, and tells when it does")
  mutating func trueHeading() {
    bench.send(.start)
    point(7)
    bench.send(.declination(-14.4))
    point(7)
    point(7)
    bench.send(.declination(nil))
    point(7)
    #expect(
      bench.transcript == """
        00:00:00  7.0 true - ±5.0
        00:00:00  7.0 true 352.6 ±5.0
        00:00:00  7.0 true - ±5.0
        """)
  }

  @Test(
    "HEAD-8: turns later headings to the edge that is up",
    arguments: zip(HeadingOrientation.allCases, [100, 100, 280, 190, 10, 100, 100] as [Double]))
  mutating func orientation(orientation: HeadingOrientation, heading: Double) {
    bench.send(.start)
    bench.send(.filter(nil))
    point(100)
    bench.send(.orientation(orientation))
    #expect(delivered == [100])
    point(100)
    #expect(delivered == [100, heading])
  }

  @Test("HEAD-8: keeps the reference when the device is laid down")
  mutating func faceUp() {
    bench.send(.start)
    bench.send(.orientation(.landscapeLeft))
    bench.send(.orientation(.faceUp))
    point(300)
    #expect(delivered == [30])
  }

  @Test("HEAD-10: says nothing while the app is suspended")
  mutating func suspension() {
    bench.send(.start)
    bench.send(.suspended(true))
    #expect(!bench.machine.needsMagnetometer)
    point(7)
    bench.send(.suspended(false))
    #expect(bench.machine.needsMagnetometer)
    point(8)
    #expect(delivered == [8])
  }

  @Test("HEAD-14a: refuses a heading older than the last one")
  mutating func order() {
    bench.send(.start)
    point(7)
    var old = sample(90)
    old.time = old.time - .seconds(1)
    bench.send(.sample(old))
    #expect(delivered == [7])
    #expect(bench.outputs.last?.output == .ignored(old, .outOfOrder))
  }

  @Test("refuses numbers that are none")
  mutating func malformed() {
    bench.send(.start)
    point(.nan)
    bench.send(.sample(sample(1, microtesla: .infinity)))
    #expect(delivered.isEmpty)
    #expect(bench.outputs.count == 2)
  }

  @Test("HEAD-7: hands on the field as it was seen")
  mutating func field() {
    bench.send(.start)
    let sample = sample(7, microtesla: 50)
    bench.send(.sample(sample))
    guard case .deliver(let heading)? = bench.outputs.last?.output else {
      Issue.record("no heading")
      return
    }
    #expect(heading.field == sample.field)
  }

  mutating func point(_ degrees: Double) { bench.send(.sample(sample(degrees))) }

  private func sample(_ degrees: Double, microtesla: Double? = nil) -> HeadingSample {
    headingSample(degrees, microtesla: microtesla, at: bench.now)
  }

  private var delivered: [Double] {
    bench.outputs.compactMap { entry in
      guard case .deliver(let heading) = entry.output else { return nil }
      return heading.magneticHeading
    }
  }
}

@Suite("The question to calibrate")
struct HeadingCalibrationTests {
  private var bench = Bench(HeadingService(app: app, isFirst: true), describe: line)

  @Test("HEAD-9: is asked when an app first wants headings, and remembered")
  mutating func first() {
    bench.send(.start)
    bench.send(.stop)
    bench.send(.start)
    #expect(bench.transcript == "00:00:00  stored\n00:00:00  asks")
  }

  @Test("HEAD-9: shows nothing when the answer is no")
  mutating func refused() {
    bench.send(.start)
    bench.send(.calibrationAnswer(false))
    bench.send(.calibrationAnswer(true))
    #expect(bench.transcript == "00:00:00  stored\n00:00:00  asks")
  }

  @Test("HEAD-9: shows the display until the compass is calibrated")
  mutating func untilCalibrated() {
    bench.send(.start)
    bench.send(.calibrationAnswer(true))
    point(microtesla: 50, accuracy: nil)
    bench.run(for: .seconds(3))
    point(microtesla: 50, accuracy: 8)
    #expect(
      bench.transcript == """
        00:00:00  stored
        00:00:00  asks
        00:00:00  shows
        00:00:00  7.0 true - invalid
        00:00:03  7.0 true - ±8.0
        00:00:03  hides
        """)
  }

  @Test("HEAD-9: hides the display when it is dismissed or the service stops", arguments: [0, 1])
  mutating func dismissed(way: Int) {
    bench.send(.start)
    bench.send(.calibrationAnswer(true))
    bench.send(way == 0 ? .dismissCalibration : .stop)
    #expect(bench.transcript.hasSuffix("shows\n00:00:00  hides"))
  }

  @Test("HEAD-9, HEAD-6: is asked when the field's magnitude has changed for two seconds")
  mutating func magnitude() {
    startKnown()
    run(seconds: 10, microtesla: 50)
    run(seconds: 4, microtesla: 70)
    run(seconds: 2, microtesla: 50)
    #expect(
      bench.transcript == """
        00:00:00  7.0 true - ±5.0
        00:00:10  7.0 true - invalid
        00:00:12  asks
        00:00:14  7.0 true - ±5.0
        """)
  }

  @Test("HEAD-9: is asked when the field's inclination has changed for two seconds")
  mutating func inclination() {
    startKnown()
    run(seconds: 5, microtesla: 50, inclination: 60)
    run(seconds: 3, microtesla: 50, inclination: 30)
    #expect(bench.transcript.hasSuffix("00:00:07  asks"))
  }

  @Test("takes a field that stays for the new place's")
  mutating func settles() {
    startKnown()
    run(seconds: 5, microtesla: 50)
    run(seconds: 40, microtesla: 70)
    #expect(bench.transcript.hasSuffix("00:00:35  7.0 true - ±5.0"))
  }

  @Test("HEAD-12, STD-35: gives way to one failure while the field cannot be the Earth's")
  mutating func interference() {
    startKnown()
    run(seconds: 2, microtesla: 50)
    run(seconds: 5, microtesla: 300)
    run(seconds: 1, microtesla: 50)
    run(seconds: 1, microtesla: 5)
    #expect(
      bench.transcript == """
        00:00:00  7.0 true - ±5.0
        00:00:02  fails: interference
        00:00:08  fails: interference
        """)
  }

  @Test("gives way to one failure when the compass goes away")
  mutating func lost() {
    startKnown()
    bench.send(.available(false))
    bench.send(.available(false))
    #expect(!bench.machine.needsMagnetometer)
    bench.send(.available(true))
    run(seconds: 1, microtesla: 50)
    #expect(bench.transcript == "00:00:00  fails: compassLost\n00:00:00  7.0 true - ±5.0")
  }

  private mutating func startKnown() {
    bench = Bench(HeadingService(app: app, isFirst: false), describe: line)
    bench.send(.start)
  }

  /// Ten samples per second.
  private mutating func run(seconds: Int, microtesla: Double, inclination: Double? = nil) {
    for _ in 0..<(seconds * 10) {
      point(microtesla: microtesla, accuracy: 5, inclination: inclination)
      bench.run(for: .milliseconds(100))
    }
  }

  private mutating func point(
    microtesla: Double, accuracy: Double?, inclination: Double? = nil
  ) {
    var sample = headingSample(7, microtesla: microtesla, at: bench.now)
    sample.accuracy = accuracy
    sample.inclination = inclination
    bench.send(.sample(sample))
  }
}

private let app = AppIdentity("org.example.compass")

private func headingSample(
  _ degrees: Double, microtesla: Double?, at now: Moment
) -> HeadingSample {
  HeadingSample(
    magneticHeading: degrees, accuracy: 5,
    field: microtesla.map { DeviceVector(x: 0, y: $0 * 0.6, z: $0 * -0.8) }, time: now.unixTime)
}

private func line(_ output: HeadingService.Output) -> String? {
  switch output {
  case .deliver(let heading):
    let north = heading.trueHeading.map { "\(($0 * 10).rounded() / 10)" } ?? "-"
    let accuracy = heading.accuracy.map { "±\($0)" } ?? "invalid"
    return "\(heading.magneticHeading) true \(north) \(accuracy)"
  case .fail(let failure): return "fails: \(failure)"
  case .askCalibration: return "asks"
  case .showCalibration: return "shows"
  case .hideCalibration: return "hides"
  case .store: return "stored"
  case .ignored: return nil
  }
}
