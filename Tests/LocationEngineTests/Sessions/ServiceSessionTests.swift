import LocationModel
import TestSupport
import Testing

@testable import LocationEngine

@Suite("Service sessions")
struct ServiceSessionTests {
  static let whenInUse = SessionGoal(.whenInUse)
  static let always = SessionGoal(.always)

  @Test("SESS-1, SESS-16: a session lasts until it is invalidated, and ends its stream")
  func invalidation() {
    var app = AuthorizationStateBench()
    app.set(.whileUsing)
    app.sessions(.open(1, Self.whenInUse))
    app.sessions(.diagnose(stream: 5, session: 1))
    #expect(app.sessions(.invalidate(1)) == ["stream 5 ends"])
    #expect(app.sessions(.diagnose(stream: 6, session: 1)) == ["stream 6 ends"])
  }

  @Test("SESS-2, LIVE-22: a goal of when-in-use asks at once, or at the next direct use")
  func asks() {
    var app = AuthorizationStateBench()
    #expect(app.sessions(.open(1, Self.whenInUse)) == ["asks whenInUse"])
    var later = AuthorizationStateBench(life: .background)
    #expect(later.sessions(.open(1, Self.whenInUse)) == [])
    #expect(later.life(.foreground) == ["asks whenInUse"])
    later.answer(.once)
    later.life(.background)
    #expect(later.run(seconds: 5) == ["notDetermined"])
    #expect(later.life(.foreground) == ["asks whenInUse"])
  }

  @Test("SESS-3: a goal of Always uses the single opportunity")
  func upgrade() {
    var app = AuthorizationStateBench()
    app.set(.whileUsing)
    #expect(app.sessions(.open(1, Self.always)) == ["asks upgrade"])
    #expect(app.answer(.keepWhileUsing) == [])
    app.sessions(.invalidate(1))
    #expect(app.sessions(.open(2, Self.always)) == [])
  }

  @Test("SESS-4: a goal of none never asks, and counts as an explicit session")
  func noGoal() {
    var manifest = AuthorizationBench.manifest
    manifest.requiresExplicitServiceSession = true
    var app = AuthorizationStateBench(manifest: manifest)
    #expect(app.sessions.needsSession)
    #expect(app.sessions(.open(1, SessionGoal(.none))) == [])
    #expect(!app.sessions.needsSession)
  }

  @Test("SESS-5: the purpose question comes once per session, in direct use")
  func purpose() {
    var app = AuthorizationStateBench()
    app.set(.whileUsing)
    app.send(.authorization(.precise(false)))
    let asks = ["asks temporaryAccuracy(purposeKey: \"race\")"]
    #expect(app.sessions(.open(1, SessionGoal(.whenInUse, purposeKey: "race"))) == asks)
    app.sessions(.diagnose(stream: 5, session: 1))
    #expect(app.answer(.decline) == ["stream 5: fullAccuracyDenied"])
    app.life(.background)
    #expect(app.life(.foreground) == [])
    #expect(app.sessions(.open(2, SessionGoal(.whenInUse, purposeKey: "race"))).contains(asks[0]))
  }

  @Test("SESS-5: a purpose question that had to wait when the app left comes when it is back")
  func postponedPurpose() {
    let asks = "asks temporaryAccuracy(purposeKey: \"race\")"
    var app = AuthorizationStateBench()
    app.set(.whileUsing)
    app.send(.authorization(.precise(false)))
    let upgrade = app.sessions(.open(1, SessionGoal(.always, purposeKey: "race")))
    #expect(upgrade == ["asks upgrade"])
    app.life(.background)
    app.send(.authorization(.services(on: false)))
    app.send(.authorization(.services(on: true)))
    let outputs = app.life(.foreground) + app.answer(.keepWhileUsing)
    #expect(outputs.contains(asks))
    #expect(app.answer(.decline).filter { $0 == asks } == [])
  }

  @Test("SESS-5: a purpose without its text is denied without a question")
  func unknownPurpose() {
    var app = AuthorizationStateBench()
    app.set(.whileUsing)
    app.send(.authorization(.precise(false)))
    #expect(app.sessions(.open(1, SessionGoal(.whenInUse, purposeKey: "other"))) == [])
    #expect(
      app.sessions(.diagnose(stream: 5, session: 1)) == ["stream 5: fullAccuracyDenied"])
  }

  @Test("SESS-6: the strongest goal counts, and ending one session leaves the others")
  func layers() {
    var app = AuthorizationStateBench()
    app.sessions(.open(1, Self.whenInUse))
    app.answer(.whileUsing)
    #expect(app.sessions(.open(2, Self.always)) == ["asks upgrade"])
    #expect(app.sessions(.invalidate(2)) == ["withdraws"])
    #expect(app.sessions.hasEffectiveAlways == false)
    #expect(app.authorization.goal == .whenInUse)
  }

  @Test("SESS-7, SESS-8: a goal that is met, or was declined, has no visible effect")
  func quiet() {
    for setting in [AuthorizationSetting.always, .never] {
      var app = AuthorizationStateBench()
      app.set(setting)
      #expect(app.sessions(.open(1, Self.always)) == [])
    }
  }

  @Test("SESS-9, LIVE-11: modern use is a session of its own, with the goal of when-in-use")
  func implicit() {
    var app = AuthorizationStateBench()
    #expect(app.sessions(.iterate(1)) == ["asks whenInUse"])
    #expect(app.authorization.goal == .whenInUse)
    #expect(app.sessions(.endIteration(1)) == ["withdraws"])
    #expect(app.sessions(.openBackgroundActivity(2)) == ["asks whenInUse"])
  }

  @Test("SESS-10, LIVE-15: where explicit sessions are required there are no others")
  func explicit() {
    for key in Manifest.Key.explicitSession {
      let manifest = Manifest([
        key: .bool(true), Manifest.Key.whenInUse: .string("To draw."),
        Manifest.Key.backgroundModes: .array([.string("location")]),
      ])
      var app = AuthorizationStateBench(manifest: manifest)
      #expect(app.sessions(.iterate(1)) == [])
      app.sessions(.openBackgroundActivity(2))
      #expect(
        app.sessions(.diagnose(stream: 5, session: 2)) == ["stream 5: serviceSessionRequired"])
      #expect(
        app.sessions(.open(3, Self.whenInUse)) == [
          "asks whenInUse", "stream 5: authorizationRequestInProgress",
        ])
    }
  }

  @Test("SESS-11, LIVE-38: Always is not effective through a session begun in the background")
  func notEffective() {
    var app = AuthorizationStateBench(life: .background)
    app.set(.always)
    app.sessions(.open(1, Self.always))
    #expect(!app.sessions.hasEffectiveAlways)
    #expect(
      app.sessions(.diagnose(stream: 5, session: 1)) == ["stream 5: insufficientlyInUse"])
    #expect(app.life(.foreground) == ["stream 5: none"])
    #expect(app.sessions.hasEffectiveAlways)
  }

  @Test("SESS-12: a session made while another effective one is held inherits it, link by link")
  func chain() {
    var app = AuthorizationStateBench()
    app.set(.always)
    app.sessions(.open(1, Self.whenInUse))
    app.life(.background)
    app.sessions(.open(2, Self.always))
    app.sessions(.invalidate(1))
    app.sessions(.open(3, Self.always))
    app.sessions(.invalidate(2))
    #expect(app.sessions.hasEffectiveAlways)
    app.sessions(.invalidate(3))
    app.sessions(.open(4, Self.always))
    #expect(!app.sessions.hasEffectiveAlways)
  }

  @Test("SESS-14: sessions outlive their process, and the next one has five seconds")
  func reclaimWindow() {
    var app = AuthorizationStateBench()
    app.set(.always)
    app.sessions(.open(1, Self.always))
    app.life(.terminated)
    #expect(app.run(seconds: 3600) == [])
    #expect(app.sessions.hasEffectiveAlways)
    app.life(.background)
    #expect(app.run(seconds: 4.9) == [])
    #expect(app.sessions.hasEffectiveAlways)
    _ = app.run(seconds: 0.1)
    #expect(!app.sessions.hasEffectiveAlways)
    #expect(app.bench.machine.nextDeadline == nil)
  }

  @Test("SESS-15: created again in time, also in the background, a session continues")
  func reclaimed() {
    var app = AuthorizationStateBench()
    app.set(.always)
    app.sessions(.open(1, Self.always))
    app.life(.quit)
    app.life(.background)
    app.sessions(.open(2, Self.always))
    _ = app.run(seconds: 60)
    #expect(app.sessions.hasEffectiveAlways)
  }

  @Test("LIFE-9: sessions survive a restart of the daemon")
  func daemonRestart() {
    var app = AuthorizationStateBench()
    app.set(.always)
    app.sessions(.open(1, Self.always))
    app.restartDaemon()
    #expect(app.sessions.hasEffectiveAlways)
    app.life(.background)
    app.sessions(.open(1, Self.always))
    _ = app.run(seconds: 60)
    #expect(app.sessions.hasEffectiveAlways)
  }

  @Test("SESS-17, SESS-18: the first element comes at once, then one per change")
  func firstElement() {
    var app = AuthorizationStateBench()
    app.set(.whileUsing)
    app.sessions(.open(1, Self.whenInUse))
    #expect(app.sessions(.diagnose(stream: 5, session: 1)) == ["stream 5: none"])
    #expect(app.sessions(.open(2, Self.whenInUse)) == [])
    #expect(app.set(.never) == ["denied", "stream 5: authorizationDenied"])
  }

  @Test("SESS-19: a pending question shows until answered, then one element has the outcome")
  func oneElementPerChange() {
    for (answer, outcome) in [
      (PromptAnswer.whileUsing, "none"), (.once, "none"), (.deny, "authorizationDenied"),
    ] {
      var app = AuthorizationStateBench()
      app.sessions(.open(1, Self.whenInUse))
      #expect(
        app.sessions(.diagnose(stream: 5, session: 1)) == [
          "stream 5: authorizationRequestInProgress"
        ])
      #expect(app.answer(answer).last == "stream 5: \(outcome)")
      #expect(app.answer(answer) == ["no question is open"])
    }
  }

  @Test("SESS-20, SESS-22: a denial for the whole machine sets both flags, whatever the goal")
  func deniedGlobally() {
    for goal in [SessionGoal(.none), Self.whenInUse] {
      var app = AuthorizationStateBench()
      app.set(.whileUsing)
      app.sessions(.open(1, goal))
      app.sessions(.diagnose(stream: 5, session: 1))
      let flags = "authorizationDenied authorizationDeniedGlobally"
      #expect(app.send(.authorization(.services(on: false))) == ["denied", "stream 5: \(flags)"])
      let restricted = "authorizationDenied authorizationRestricted"
      app.send(.authorization(.services(on: true)))
      #expect(
        app.send(.authorization(.restriction(true))) == ["restricted", "stream 5: \(restricted)"])
    }
  }

  @Test("SESS-21: Always not granted shows; while undecided it does not")
  func alwaysDenied() {
    var app = AuthorizationStateBench()
    app.set(.whileUsing)
    app.sessions(.open(1, Self.always))
    app.sessions(.diagnose(stream: 5, session: 1))
    #expect(app.bench.transcript.hasSuffix("stream 5: authorizationRequestInProgress"))
    #expect(app.answer(.keepWhileUsing) == ["stream 5: alwaysAuthorizationDenied"])
  }

  @Test("SESS-23: in the background an unanswered question shows as not sufficiently in use")
  func unanswered() {
    var app = AuthorizationStateBench()
    app.sessions(.open(1, Self.whenInUse))
    app.sessions(.diagnose(stream: 5, session: 1))
    let both = "authorizationRequestInProgress insufficientlyInUse"
    #expect(app.life(.background) == ["stream 5: \(both)"])
    #expect(app.answer(.dismissed) == ["stream 5: insufficientlyInUse"])
    #expect(
      app.life(.foreground) == ["asks whenInUse", "stream 5: authorizationRequestInProgress"])
  }

  @Test("SESS-24: two iterations each get their own full stream")
  func twoStreams() {
    var app = AuthorizationStateBench()
    app.set(.whileUsing)
    app.sessions(.open(1, Self.whenInUse))
    #expect(app.sessions(.diagnose(stream: 5, session: 1)) == ["stream 5: none"])
    #expect(app.sessions(.diagnose(stream: 6, session: 1)) == ["stream 6: none"])
    app.sessions(.endDiagnosis(stream: 5))
    #expect(app.set(.never) == ["denied", "stream 6: authorizationDenied"])
  }

  @Test("a suspended app receives only the latest, when it runs again")
  func suspended() {
    var app = AuthorizationStateBench()
    app.set(.always)
    app.sessions(.open(1, Self.whenInUse))
    app.sessions(.diagnose(stream: 5, session: 1))
    app.life(.suspended)
    #expect(app.set(.never) == ["denied"])
    #expect(app.set(.always) == ["always"])
    #expect(app.set(.never) == ["denied"])
    #expect(app.life(.background) == ["stream 5: authorizationDenied"])
  }
}
