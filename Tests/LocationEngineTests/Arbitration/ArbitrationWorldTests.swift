import LocationEngine
import LocationModel
import Testing

@Suite("Arbitration in random worlds of two to four providers")
struct ArbitrationWorldTests {
  /// What one world showed.
  private struct Outcome {
    /// The most honest fixes that arrived while the current fix stayed wrong.
    var longestLie = 0
    /// The longest time without an honest fix becoming the current one, after the first second.
    var longestLockout = 0.0
    var datesWentBack = 0
    var unanswered = 0
    /// How often a stale provider's fix was the current one after two honest fixes were received.
    var staleWins = 0
  }

  private static func run(_ world: ArbitrationWorld, fuses: Bool = false) -> Outcome {
    var arbiter = ProviderArbiter()
    var outcome = Outcome()
    var honestReceived = 0
    var (lie, lastHonest, lastDate) = (0, 0.0, UnixTime(nanoseconds: 0))
    for report in world.reports {
      let now = ArbitrationWorld.moment(report.at)
      let outputs = arbiter.handle(.fix(report.fix, report.provider), at: now)
      if outputs.count != 1 { outcome.unanswered += 1 }
      if report.isHonest { honestReceived += 1 }
      let fused = fuses ? outputs.first.flatMap { arbiter.fuse($0, at: now) } : nil
      if let fix = fused ?? chosen(outputs.first) {
        if fix.time < lastDate { outcome.datesWentBack += 1 }
        lastDate = fix.time
        if report.isHonest { lastHonest = report.at }
        let age = now.unixTime.seconds(since: fix.time)
        if age > 50, honestReceived >= 2 { outcome.staleWins += 1 }
      }
      outcome.longestLockout = max(outcome.longestLockout, report.at - lastHonest)
      guard let current = arbiter.current else { continue }
      let isWrong = current.coordinate.distance(to: world.truth(at: report.at)) > 10_000
      if isWrong, report.isHonest { lie += 1 }
      if !isWrong { lie = 0 }
      outcome.longestLie = max(outcome.longestLie, lie)
    }
    return outcome
  }

  private static func chosen(_ output: ProviderArbiter.Output?) -> Fix? {
    if case .current(let fix, _)? = output { fix } else { nil }
  }

  @Test("RADIO-52: fusion believes a far, confident fix no longer than the choice does")
  func fusedWorlds() {
    for seed in UInt64(1)...600 {
      let outcome = Self.run(ArbitrationWorld(seed: seed), fuses: true)
      #expect(outcome.longestLie < 2, "seed \(seed)")
      #expect(outcome.longestLockout < 10, "seed \(seed)")
      #expect(outcome.datesWentBack == 0, "seed \(seed)")
      #expect(outcome.staleWins == 0, "seed \(seed)")
    }
  }

  @Test("believes a far, confident fix for less than two honest fixes, and locks nobody out")
  func randomWorlds() {
    for seed in UInt64(1)...600 {
      let outcome = Self.run(ArbitrationWorld(seed: seed))
      #expect(outcome.unanswered == 0, "seed \(seed)")
      #expect(outcome.longestLie < 2, "seed \(seed)")
      #expect(outcome.longestLockout < 10, "seed \(seed)")
      #expect(outcome.datesWentBack == 0, "seed \(seed)")
      #expect(outcome.staleWins == 0, "seed \(seed)")
    }
  }

  @Test("does not depend on who is listed first or who comes first", arguments: [0.0, 25])
  func everyOrder(speed: Double) {
    let honest = ArbitrationWorld.Character.honest(radius: 10, interval: 1)
    let others: [ArbitrationWorld.Character] = [
      .liar(interval: 1), .liar(interval: 0.2), .liarOnce(at: 0), .liarOnce(at: 30),
      .jumper(interval: 1), .stale(interval: 1),
    ]
    for other in others {
      for (index, order) in [[honest, other], [other, honest]].enumerated() {
        for seed in UInt64(1)...20 {
          var random = SeededRandom(seed: seed)
          let world = ArbitrationWorld(order, speed: speed, random: &random)
          let outcome = Self.run(world)
          #expect(outcome.longestLie < 2, "\(other) order \(index) seed \(seed)")
          #expect(outcome.longestLockout < 10, "\(other) order \(index) seed \(seed)")
          #expect(outcome.datesWentBack == 0, "\(other) order \(index) seed \(seed)")
        }
      }
    }
  }

  @Test("needs only one fix each of two honest providers that agree")
  func twoWitnesses() {
    var arbiter = ProviderArbiter()
    let far = ArbitrationWorld.home.moved(by: 500_000, towards: 10)
    for second in 0...4 {
      _ = arbiter.handle(
        .fix(ArbitrationWorld.fix(far, 1, Double(second)), ProviderID(0)),
        at: ArbitrationWorld.moment(Double(second)))
    }
    for (index, at) in [4.2, 4.4].enumerated() {
      _ = arbiter.handle(
        .fix(ArbitrationWorld.fix(ArbitrationWorld.home, 20, at), ProviderID(index + 1)),
        at: ArbitrationWorld.moment(at))
    }
    #expect(arbiter.current?.coordinate == ArbitrationWorld.home)
  }
}
