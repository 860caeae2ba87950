import LocationModel
import LocationProviders
import TestSupport
import Testing

@Suite("Movement by the kernel's accelerometer")
struct IIOMotionTests {
  private var day: ShakenDay

  init() throws {
    day = try ShakenDay(seed: 1)
  }

  @Test("POW-6: reads seventeen times a second to know, and once a second while it lies still")
  mutating func sparse() throws {
    day.run(seconds: 60)
    #expect(day.said.map(\.activity) == [MotionActivity(.stationary, .high)])
    let delivered = try #require(day.said.first?.seconds)
    #expect((7...10).contains(delivered))
    let before = day.reads
    #expect((110...150).contains(before - Int(60 - delivered)))
    day.run(seconds: 600)
    #expect((590...610).contains(day.reads - before))
    day.bench.send(.stop)
    #expect(day.said.last?.activity == .unknown)
    #expect(day.bench.machine.nextDeadline == nil)
  }

  @Test(
    "POW-6: tells a walk within eight seconds of its beginning, in the hand and in a pocket",
    arguments: [1.4, 1.6, 1.8, 2.0, 2.2, 2.4], [(0.9, 0.1, 0.2), (2.2, 0.7, 0.7), (1.6, 0.3, 0.35)])
  mutating func walk(rate: Double, manner: (Double, Double, Double)) throws {
    for seed in 1...3 as ClosedRange<UInt64> {
      day = try ShakenDay(seed: seed)
      day.shake.up = DeviceVector(x: 0.48, y: -0.6, z: 0.64)
      day.run(seconds: 30.3)
      day.begin(
        .steps(
          .init(rate: rate, strength: manner.0, stride: manner.1, heel: manner.2)))
      day.run(seconds: 60)
      let walk = try #require(day.first(.walking))
      #expect(walk <= 8, "rate \(rate), \(manner), seed \(seed)")
      #expect(!day.kinds.contains(.running))
      #expect(day.share(.walking) > 0.85, "rate \(rate), \(manner), seed \(seed)")
      day.begin(.lies(knocks: 0))
      day.run(seconds: 30)
      #expect(try #require(day.first(.stationary)) <= 15)
    }
  }

  @Test("tells a run within eight seconds", arguments: [2.6, 2.9, 3.2])
  mutating func run(rate: Double) throws {
    for seed in 1...3 as ClosedRange<UInt64> {
      day = try ShakenDay(seed: seed)
      day.run(seconds: 20.7)
      day.begin(.steps(.init(rate: rate, strength: 8)))
      day.run(seconds: 60)
      #expect(try #require(day.first(.running)) <= 8)
      #expect(day.share(.running) > 0.8)
    }
  }

  @Test(
    "neither a wrong scale nor an offset of the chip matters",
    arguments: [(0.8, 0), (1.2, 0), (1, 0.8), (1, -0.8)] as [(Double, Double)])
  mutating func cheapChip(scale: Double, offset: Double) throws {
    day.shake.scale = scale
    day.shake.offset = DeviceVector(x: offset, y: offset, z: offset)
    day.shake.noise = 0.1
    day.run(seconds: 30)
    #expect(day.said.map(\.activity) == [MotionActivity(.stationary, .medium)])
    day.begin(.steps(.init(rate: 1.8, strength: 1.5)))
    day.run(seconds: 30)
    #expect(try #require(day.first(.walking)) <= 8)
  }

  @Test(
    "never takes the shaking of a car for a walk",
    arguments: [(0.4, 0.5, 0.1), (0.8, 0.6, 0.2), (0.2, 0.2, 1)] as [(Double, Double, Double)])
  mutating func car(sway: Double, hop: Double, hum: Double) throws {
    for seed in 1...2 as ClosedRange<UInt64> {
      day = try ShakenDay(seed: seed)
      day.run(seconds: 20)
      day.begin(.rides(sway: sway, hop: hop, hum: hum))
      day.run(seconds: 1200)
      #expect(day.kinds.isDisjoint(with: [.walking, .running]), "seed \(seed)")
      #expect(day.share(.unknown) > 0.95)
    }
  }

  @Test(
    "reports once in an hour on a table that it is stationary, typing or not", arguments: [0, 0.4])
  mutating func table(typing: Double) {
    day.begin(.lies(knocks: typing))
    day.run(seconds: 3600)
    #expect(day.said.map(\.activity.kind) == [.stationary])
  }

  @Test("tells a lift to the ear as neither a walk nor a ride, and the rest after it")
  mutating func lifted() throws {
    day.run(seconds: 30)
    day.begin(.handled)
    day.run(seconds: 15)
    #expect(try #require(day.first(.unknown)) <= 6)
    day.shake.up = DeviceVector(x: 0, y: 0.8, z: 0.6)
    day.begin(.lies(knocks: 0))
    day.run(seconds: 60)
    #expect(try #require(day.first(.stationary)) <= 15)
    #expect(day.said.map(\.activity.kind) == [.stationary, .unknown, .stationary])
  }

  @Test("takes a knock at the table for nothing")
  mutating func knock() {
    day.run(seconds: 30)
    for _ in 0..<10 {
      day.knocks = 1
      day.run(seconds: 20)
    }
    #expect(day.said.count == 1)
  }

  @Test("looks at a walk that goes on for a minute in four seconds of nine")
  mutating func longWalk() {
    day.begin(.steps(.init(rate: 1.8, strength: 1.5)))
    day.run(seconds: 120)
    let before = day.reads
    day.run(seconds: 600)
    #expect(day.reads - before < 600 * 9)
  }

  @Test("trusts a chip little that says the same to the last bit, until it says something new")
  mutating func frozen() {
    day.shake.noise = 0
    day.run(seconds: 300)
    #expect(day.said.map(\.activity) == [MotionActivity(.stationary, .low)])
    day.shake.noise = 0.05
    day.run(seconds: 30)
    #expect(
      day.said.map(\.activity) == [
        MotionActivity(.stationary, .low), MotionActivity(.stationary, .high),
      ])
  }

  @Test("never says of a chip that hangs at nothing that it lies still")
  mutating func dead() {
    day.shake.noise = 0
    day.shake.scale = 0
    day.run(seconds: 600)
    #expect(day.said.isEmpty)
  }

  @Test(
    "counts what no chip can feel, and knows nothing after ten seconds of it",
    arguments: ["", "nan", "x", "99999999"])
  mutating func rubbish(text: String) throws {
    day.run(seconds: 30)
    day.text = text
    day.begin(day.shake.handling)
    day.run(seconds: 120)
    #expect(try #require(day.first(.unknown)) <= 12)
    let reason: MotionRejection = text == "99999999" ? .absurd : .unreadable
    #expect(Set(day.rejections) == [reason])
    #expect(day.rejections.count < 40)
    day.text = nil
    day.begin(day.shake.handling)
    day.run(seconds: 30)
    #expect(try #require(day.first(.stationary)) <= 15)
  }

  @Test("knows nothing any more when the files are never handed back")
  mutating func silence() {
    day.run(seconds: 30)
    day.isSilent = true
    day.run(seconds: 30)
    #expect(day.said.map(\.activity.kind) == [.stationary, .unknown])
  }

  @Test("knows nothing any more when the readings come too far apart to be a look")
  mutating func sparseReadings() throws {
    day.run(seconds: 30)
    #expect(day.said.last?.activity.kind == .stationary)
    day.answersEvery = 12
    day.begin(.steps(.init(rate: 1.8, strength: 2.2)))
    day.run(seconds: 40)
    #expect(try #require(day.first(.unknown)) <= 15)
    day.answersEvery = 1
    day.run(seconds: 20)
    #expect(day.said.last?.activity.kind == .walking)
  }

  @Test("asks nothing before it is started, and says nothing when nothing was said")
  mutating func stopped() throws {
    var bench = Bench(try #require(IIOMotion(SimulatedCompass.tree)))
    bench.run(for: .seconds(10))
    bench.send(.readings([]))
    bench.send(.start)
    bench.send(.stop)
    bench.run(for: .seconds(10))
    #expect(bench.outputs.count == 1)
    #expect(IIOMotion(IIODeviceTree([])) == nil)
  }
}

/// A machine whose questions are answered by a device that is shaken.
private struct ShakenDay {
  var bench: Bench<IIOMotion>
  var shake: SimulatedShake
  /// What all files say instead.
  var text: String?
  var isSilent = false
  /// Of so many questions one is answered.
  var answersEvery = 1
  /// Readings to come that feel a knock.
  var knocks = 0
  private(set) var reads = 0
  private var answeredAt = Instant.start
  private var begunAt = Instant.start

  init(seed: UInt64) throws {
    bench = Bench(try #require(IIOMotion(SimulatedCompass.tree)))
    shake = SimulatedShake(seed: seed)
  }

  mutating func begin(_ handling: SimulatedShake.Handling) {
    shake.handling = handling
    begunAt = bench.now.uptime
  }

  mutating func run(seconds: Double) {
    let end = bench.now.uptime + .seconds(seconds)
    if bench.outputs.isEmpty {
      bench.send(.start)
      answer()
    }
    while let deadline = bench.machine.nextDeadline, deadline <= end {
      let before = bench.outputs.count
      bench.run(for: deadline - bench.now.uptime)
      if bench.outputs[before...].contains(where: { $0.output == .read(Self.paths) }) { answer() }
    }
    bench.run(for: end - bench.now.uptime)
  }

  private static let paths = SimulatedCompass.tree.accelerometer?.paths ?? []

  private mutating func answer() {
    reads += 1
    guard !isSilent, reads.isMultiple(of: answersEvery) else { return }
    var felt = shake.acceleration(after: max(bench.now.uptime.seconds(since: answeredAt), 0.001))
    answeredAt = bench.now.uptime
    if knocks > 0 {
      felt = felt + DeviceVector(x: 0, y: 0, z: 4)
      knocks -= 1
    }
    let raw = felt * (1 / 0.0095)
    bench.send(
      .readings(
        zip(["x", "y", "z"], [raw.x, raw.y, raw.z]).map { axis, value in
          SysfsReading(
            path: "iio:device1/in_accel_\(axis)_raw", text: text ?? "\(Int(value.rounded()))\n")
        }))
  }

  /// What was said, and when, in seconds.
  var said: [(seconds: Double, activity: MotionActivity)] {
    bench.outputs.compactMap { entry in
      guard case .activity(let activity) = entry.output else { return nil }
      return (entry.at.seconds(since: .start), activity)
    }
  }

  var kinds: Set<MotionActivity.Kind> { Set(said.map(\.activity.kind)) }

  var rejections: [MotionRejection] {
    bench.outputs.compactMap { entry in
      guard case .rejected(let reason) = entry.output else { return nil }
      return reason
    }
  }

  /// Seconds from the beginning of what is done now until this was said.
  func first(_ kind: MotionActivity.Kind) -> Double? {
    let begin = begunAt.seconds(since: .start)
    return said.first { $0.seconds >= begin && $0.activity.kind == kind }.map { $0.seconds - begin }
  }

  /// The share of the time since it was first said, in which this was said.
  func share(_ kind: MotionActivity.Kind) -> Double {
    guard let first = first(kind) else { return 0 }
    let begin = begunAt.seconds(since: .start) + first
    let end = bench.now.uptime.seconds(since: .start)
    let words = said.filter { $0.seconds >= begin }
    let ends = words.dropFirst().map(\.seconds) + [end]
    let length = zip(words, ends).filter { $0.0.activity.kind == kind }
      .reduce(0) { $0 + $1.1 - $1.0.seconds }
    return length / (end - begin)
  }
}
