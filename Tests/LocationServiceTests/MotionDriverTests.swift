import LocationService
import LocationModel
import LocationProviders
import TestSupport
import Testing

@Suite("The driver of the sensors, for movement")
struct MotionDriverTests {
  private var computer = FakeComputer()

  @Test("POW-6: reads the accelerometer while movement is wanted, and nothing before and after")
  mutating func demand() {
    computer.begin()
    computer.run(seconds: 60)
    computer.want(motion: true)
    computer.run(seconds: 20)
    let sensors = SensorEvidence([.heading, .motion])
    #expect(computer.driver.evidence.sensors == sensors)
    computer.want()
    computer.run(seconds: 60)
    #expect(
      computer.transcript == """
        00:00:00  searching
        00:00:00  open sensors
        00:00:00  survey
        00:00:00  idle
        00:00:00  close sensors
        00:00:00  compass
        00:01:00  searching
        00:01:00  open sensors
        00:01:00  working
        00:01:07.722  stationary low
        00:01:20  idle
        00:01:20  unknown high
        00:01:20  close sensors
        """)
  }

  @Test("POW-4, POW-6: gives both from one channel, and keeps it for the one that is still wanted")
  mutating func both() {
    computer.begin()
    computer.want(heading: true)
    computer.run(seconds: 1)
    let headings = computer.count { if case .heading = $0 { true } else { false } }
    #expect((10...11).contains(headings))
    computer.want(heading: true, motion: true)
    computer.run(seconds: 20)
    computer.want(motion: true)
    #expect(computer.count { $0 == .open(.sensors) } == 2)
    #expect(computer.count { $0 == .closeKernel } == 1)
    let before = computer.count { if case .heading = $0 { true } else { false } }
    #expect((205...212).contains(before))
    computer.run(seconds: 20)
    #expect(computer.count { if case .heading = $0 { true } else { false } } == before)
    #expect(computer.count { if case .sensor(.motion) = $0 { true } else { false } } == 1)
    #expect(computer.driver.rejections.isEmpty)
    computer.want()
    #expect(computer.count { $0 == .closeKernel } == 2)
  }

  @Test("POW-6: tells movement where there is no magnetometer, and asks the proxy for a compass")
  mutating func noMagnetometer() {
    computer.hasMagnetometer = false
    computer.begin()
    computer.want(heading: true, motion: true)
    computer.run(seconds: 20)
    let reason = ProviderStatus.Reason.missing("no bus")
    #expect(
      computer.transcript == """
        00:00:00  searching
        00:00:00  open sensors
        00:00:00  survey
        00:00:00  close sensors
        00:00:00  open systemBus
        00:00:00  idle
        00:00:00  searching
        00:00:00  open sensors
        00:00:00  working
        00:00:01  open systemBus
        00:00:03  open systemBus
        00:00:07  open systemBus
        00:00:07.722  stationary low
        00:00:15  open systemBus
        """)
    #expect(
      computer.driver.evidence.sensors
        == SensorEvidence([.motion], compassFault: reason))
    computer.want(heading: true)
    #expect(computer.transcript.hasSuffix("close sensors"))
    #expect(computer.statuses.last == .idle)
  }

  @Test("takes the heading of the proxy while it tells movement by the kernel's accelerometer")
  mutating func proxyBeside() {
    computer.hasMagnetometer = false
    computer.hasBus = true
    computer.begin()
    computer.send(.channel(.bus(.reply(1, .values([.properties(["HasCompass": .boolean(true)])])))))
    computer.want(heading: true, motion: true)
    computer.send(.channel(.bus(.reply(2, .values([])))))
    computer.send(.channel(.bus(.reply(3, .values([.variant(.double(77))])))))
    computer.run(seconds: 20)
    #expect(computer.count { if case .heading = $0 { true } else { false } } == 1)
    #expect(computer.count { if case .sensor(.motion) = $0 { true } else { false } } == 1)
    computer.send(.channel(.closed(.failed("the bus has gone"))))
    #expect(computer.statuses.last == .working)
  }

  @Test("counts what the accelerometer cannot have felt apart from what is no heading")
  mutating func rubbish() {
    computer.begin()
    computer.text = "nonsense"
    computer.want(heading: true, motion: true)
    computer.run(seconds: 1)
    let reasons = computer.driver.rejections.map(\.reason)
    #expect(reasons == ["motion: unreadable", "unreadable"])
    #expect(computer.statuses.last == .searching)
  }

  @Test("knows nothing of movement when the sensors have gone")
  mutating func gone() {
    computer.begin()
    computer.want(motion: true)
    computer.run(seconds: 20)
    computer.send(.kernel(.closed(.missing("no sensors"))))
    #expect(computer.transcript.hasSuffix("unknown high\n00:00:20  no compass"))
    #expect(computer.statuses.last == .unavailable(.missing("no sensors")))
    computer.run(seconds: 60)
    #expect(computer.transcript.hasSuffix("no compass"))
  }
}

/// A computer with the kernel's files, which lies level and points north, and perhaps a bus.
private struct FakeComputer {
  var hasMagnetometer = true
  var hasBus = false
  /// What all files say instead.
  var text: String?
  private var bench = Bench(SensorDriver(), describe: Self.line)
  private var answered = 0

  var driver: SensorDriver { bench.machine }
  var transcript: String { bench.transcript }

  var statuses: [ProviderStatus] {
    bench.outputs.compactMap { if case .status(let status) = $0.output { status } else { nil } }
  }

  func count(where isMeant: (SourceOutput) -> Bool) -> Int {
    bench.outputs.count { isMeant($0.output) }
  }

  mutating func begin() { send(.stored([])) }

  mutating func want(heading: Bool = false, motion: Bool = false) {
    send(.demand(Demand(motion: motion, magnetometer: heading)))
  }

  mutating func send(_ input: SourceInput) {
    bench.send(input)
    answer()
  }

  mutating func run(seconds: Double) {
    let end = bench.now.uptime + .seconds(seconds)
    while let deadline = bench.machine.nextDeadline, deadline <= end {
      bench.run(for: deadline - bench.now.uptime)
      answer()
    }
    bench.run(for: end - bench.now.uptime)
  }

  /// Does what was asked, until nothing is.
  private mutating func answer() {
    while answered < bench.outputs.count {
      let output = bench.outputs[answered].output
      answered += 1
      switch output {
      case .open(.sensors): bench.send(.kernel(.opened))
      case .open where hasBus: bench.send(.channel(.opened))
      case .open: bench.send(.channel(.closed(.missing("no bus"))))
      case .read(.survey): bench.send(.kernel(.readings(survey)))
      case .read(.files(let paths)):
        bench.send(.kernel(.readings(readings.filter { paths.contains($0.path) })))
      default: break
      }
    }
  }

  private var survey: [SysfsReading] {
    let scales = ["in_accel_scale": "0.00981\n", "in_magn_scale": "0.001\n"]
    return readings
      + scales.sorted { $0.key < $1.key }.prefix(hasMagnetometer ? 2 : 1).map {
        SysfsReading(path: "iio:device0/\($0.key)", text: $0.value)
      }
  }

  private var readings: [SysfsReading] {
    let accelerometer = [("accel_x", 0), ("accel_y", 0), ("accel_z", 1000)]
    let magnetometer = [("magn_x", 0), ("magn_y", 200), ("magn_z", -400)]
    return (accelerometer + (hasMagnetometer ? magnetometer : [])).map { name, value in
      SysfsReading(path: "iio:device0/in_\(name)_raw", text: text ?? "\(value)\n")
    }
  }

  @Sendable private static func line(_ output: SourceOutput) -> String? {
    switch output {
    case .open(let channel): "open \(channel)"
    case .close: "close"
    case .closeKernel: "close sensors"
    case .read(.survey): "survey"
    case .status(.unavailable): nil
    case .status(let status): "\(status)"
    case .compass(let isThere): isThere ? "compass" : "no compass"
    case .sensor(.motion(let activity)): "\(activity.kind) \(activity.confidence)"
    default: nil
    }
  }
}
