import LocationModel
import TestSupport
import Testing

@testable import LocationEngine

@Suite("The authorization state of an app")
struct AppAuthorizationStateTests {
  @Test("keeps its word through random lives", arguments: 0..<150)
  func randomLives(seed: Int) {
    var random = SeededRandom(seed: UInt64(seed))
    var app = AuthorizationStateBench()
    var last: [Int: Diagnostics] = [:]
    var shown = false
    var next = 1
    for _ in 0..<120 {
      let before = app.bench.outputs.count
      if Int.random(in: 0..<4, using: &random) == 0 {
        app.bench.run(for: .seconds(Double.random(in: 0...8, using: &random)))
      } else {
        app.send(Self.input(&random, next: &next, prompt: app.authorization.openPrompt))
      }
      for output in app.bench.outputs[before...].map(\.output) {
        switch output {
        case .sessions(.diagnostics(let stream, let flags)):
          #expect(last.updateValue(flags, forKey: stream) != flags, "said twice, seed \(seed)")
        case .sessions(.indicator(let isShown)):
          #expect(isShown != shown, "seed \(seed)")
          shown = isShown
        default: break
        }
      }
      expectConsistency(app, seed: seed)
    }
  }

  @Test("LIVE-33, LIVE-34, SESS-13: live updates stop, go on, or wake as the sessions carry them")
  func liveUpdates() {
    var app = AuthorizationStateBench()
    app.set(.whileUsing)
    #expect(verdict(app) == .init(.deliver))
    app.life(.background)
    #expect(verdict(app) == .init(.deliver))
    _ = app.run(seconds: 5)
    #expect(verdict(app) == .init(.nothing, flags: .insufficientlyInUse))
    app.life(.foreground)
    app.sessions(.openBackgroundActivity(1))
    app.life(.suspended)
    _ = app.run(seconds: 60)
    #expect(verdict(app) == .init(.wake))
    app.life(.terminated)
    #expect(verdict(app) == .init(.launch))
  }

  @Test("LIVE-15, LIVE-20: a missing session is said, beside a denial")
  func missingSession() {
    var manifest = AuthorizationBench.manifest
    manifest.requiresExplicitServiceSession = true
    var app = AuthorizationStateBench(manifest: manifest)
    app.set(.whileUsing)
    #expect(verdict(app) == .init(.nothing, flags: .serviceSessionRequired))
    app.set(.never)
    #expect(
      verdict(app) == .init(.nothing, flags: [.serviceSessionRequired, .authorizationDenied]))
    app.sessions(.open(1, SessionGoal(.none)))
    #expect(verdict(app) == .init(.nothing, flags: .authorizationDenied))
  }

  private func verdict(_ app: AuthorizationStateBench) -> DeliveryRule.Verdict {
    DeliveryRule.decide(.liveUpdates, app.bench.machine.circumstances)
  }

  private func expectConsistency(_ app: AuthorizationStateBench, seed: Int) {
    let authorization = app.authorization
    #expect(authorization.use == app.sessions.lifecycle.use, "seed \(seed)")
    if app.sessions.hasBackgroundActivity {
      #expect(authorization.status.isGranted, "seed \(seed)")
      #expect(app.sessions.lifecycle.use != .none, "seed \(seed)")
    }
    if authorization.status == .notDetermined && authorization.use == .none {
      #expect(!authorization.isEffective, "seed \(seed)")
    }
    if let deadline = app.bench.machine.nextDeadline {
      #expect(deadline > app.bench.now.uptime, "a deadline that has passed, seed \(seed)")
    }
  }

  private static func input(
    _ random: inout SeededRandom, next: inout Int, prompt: Prompt?
  ) -> AppAuthorizationState.Input {
    next += 1
    let old = Int.random(in: 1...next, using: &random)
    let goal = AuthorizationGoal(rawValue: Int.random(in: 0...2, using: &random)) ?? .none
    let life = AppLife.allCases.randomElement(using: &random) ?? .foreground
    let setting = AuthorizationSetting.allCases.randomElement(using: &random) ?? .ask
    let answer = PromptAnswer.allCases.randomElement(using: &random) ?? .dismissed
    let inputs: [AppAuthorizationState.Input] = [
      .sessions(.open(next, SessionGoal(goal))),
      .sessions(.open(next, SessionGoal(goal, purposeKey: "race"))),
      .sessions(.openBackgroundActivity(next)), .sessions(.invalidate(old)),
      .sessions(.iterate(next)), .sessions(.endIteration(old)),
      .sessions(.diagnose(stream: next, session: old)), .sessions(.endDiagnosis(stream: old)),
      .sessions(.lifecycle(.life(life))), .sessions(.lifecycle(.life(.foreground))),
      .sessions(.lifecycle(.woken(runtime: AppLifecycleState.eventRuntime))),
      .authorization(.setting(setting)), .authorization(.request(goal, manager: 1)),
      .authorization(.precise(Bool.random(using: &random))),
      .authorization(.services(on: Int.random(in: 0..<3, using: &random) > 0)),
      .authorization(.restriction(Int.random(in: 0..<5, using: &random) == 0)),
      .authorization(.alwaysEvent(EventNumber(rawValue: Int64(next)))),
      .manifest(AuthorizationBench.manifest), .wake,
    ]
    if let prompt, Bool.random(using: &random) {
      return .authorization(.answered(prompt.id, answer, precise: Bool.random(using: &random)))
    }
    return inputs.randomElement(using: &random) ?? .wake
  }
}
