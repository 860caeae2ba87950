import LocationEngine
import LocationModel
import TestSupport
import Testing

@Suite("Background activity sessions")
struct BackgroundActivityTests {
  /// An app with when-in-use and one session, begun in the foreground.
  static func active() -> AuthorizationStateBench {
    var app = AuthorizationStateBench()
    app.set(.whileUsing)
    app.sessions(.openBackgroundActivity(1))
    return app
  }

  @Test("BGA-2, BGA-4, BGA-5: begun in direct use it keeps the app in use, with the indicator")
  func active() {
    var app = Self.active()
    #expect(app.sessions.hasBackgroundActivity)
    #expect(app.life(.background) == ["indicator on"])
    _ = app.run(seconds: 3600)
    #expect(app.authorization.isEffective)
    #expect(app.sessions.lifecycle.use == .extended)
    #expect(app.life(.foreground) == ["indicator off"])
  }

  @Test("AUTH-29: a grant for once survives as long as the session")
  func once() {
    var app = AuthorizationStateBench()
    app.sessions(.openBackgroundActivity(1))
    app.answer(.once)
    #expect(app.life(.background) == ["indicator on"])
    #expect(app.run(seconds: 600) == [])
    #expect(app.sessions(.invalidate(1)) == ["indicator off"])
    #expect(app.run(seconds: 5) == ["notDetermined"])
  }

  @Test("BGA-1, BGA-3: made in the background it is inactive, and says why")
  func background() {
    var app = AuthorizationStateBench(life: .background)
    app.set(.whileUsing)
    #expect(app.sessions(.openBackgroundActivity(1)) == [])
    #expect(!app.sessions.hasBackgroundActivity)
    #expect(
      app.sessions(.diagnose(stream: 5, session: 1)) == ["stream 5: insufficientlyInUse"])
  }

  @Test("BGA-6: an end takes the indicator at once, and is for good")
  func invalidated() {
    var app = Self.active()
    app.life(.background)
    #expect(app.sessions(.invalidate(1)) == ["indicator off"])
    app.life(.foreground)
    #expect(!app.sessions.hasBackgroundActivity)
  }

  @Test("BGA-7: it outlives its process, and one made at the next run rejoins it")
  func rejoined() {
    var app = Self.active()
    app.life(.background)
    app.life(.suspended)
    #expect(app.life(.terminated) == [])
    #expect(app.sessions.lifecycle.showsIndicator)
    app.life(.background)
    app.sessions(.openBackgroundActivity(2))
    _ = app.run(seconds: 60)
    #expect(app.sessions.hasBackgroundActivity)
    #expect(app.authorization.isEffective)
  }

  @Test("BGA-8: not made again in time, it ends")
  func lost() {
    var app = Self.active()
    app.life(.terminated)
    app.life(.background)
    #expect(app.run(seconds: 5) == ["indicator off"])
    app.sessions(.openBackgroundActivity(2))
    #expect(!app.sessions.hasBackgroundActivity)
  }

  @Test("BGA-9: made while undecided it asks, and becomes active with the grant")
  func undecided() {
    var app = AuthorizationStateBench()
    #expect(app.sessions(.openBackgroundActivity(1)) == ["asks whenInUse"])
    #expect(
      app.sessions(.diagnose(stream: 5, session: 1)) == [
        "stream 5: authorizationRequestInProgress"
      ])
    #expect(app.answer(.whileUsing) == ["whenInUse", "stream 5: none"])
    #expect(app.sessions.hasBackgroundActivity)
  }

  @Test("BGA-10: withdrawn authorization ends its activity; a grant in direct use revives it")
  func withdrawn() {
    var app = Self.active()
    app.sessions(.diagnose(stream: 5, session: 1))
    app.life(.background)
    #expect(
      app.set(.never) == ["denied", "indicator off", "stream 5: authorizationDenied"])
    #expect(app.set(.whileUsing) == ["whenInUse", "stream 5: insufficientlyInUse"])
    #expect(!app.sessions.hasBackgroundActivity)
    app.life(.foreground)
    #expect(app.sessions.hasBackgroundActivity)
  }

  @Test("BGA-11: its diagnostics begin at once and name the machine's switch")
  func diagnostics() {
    var app = Self.active()
    #expect(app.sessions(.diagnose(stream: 5, session: 1)) == ["stream 5: none"])
    #expect(
      app.send(.authorization(.services(on: false))).last
        == "stream 5: authorizationDenied authorizationDeniedGlobally")
  }

  @Test("BGA-12: without the background mode it stays inactive, and a warning says so")
  func missingMode() {
    var manifest = AuthorizationBench.manifest
    manifest.hasLocationBackgroundMode = false
    var app = AuthorizationStateBench(manifest: manifest)
    app.set(.whileUsing)
    #expect(
      app.sessions(.openBackgroundActivity(1)) == [
        "explains: a background activity session stays inactive: "
          + "add location to UIBackgroundModes in Info.plist"
      ])
    #expect(!app.sessions.hasBackgroundActivity)
  }

  @Test("BGA-13: the app stays in use until the last of several ends")
  func several() {
    var app = Self.active()
    app.sessions(.openBackgroundActivity(2))
    app.life(.background)
    #expect(app.sessions(.invalidate(1)) == [])
    #expect(app.sessions(.invalidate(2)) == ["indicator off"])
  }

  @Test("LIFE-9: it survives a restart of the daemon")
  func daemonRestart() {
    var app = Self.active()
    app.life(.background)
    app.restartDaemon()
    #expect(app.sessions.hasBackgroundActivity)
    #expect(app.authorization.isEffective)
    app.life(.background)
    app.sessions(.openBackgroundActivity(1))
    _ = app.run(seconds: 60)
    #expect(app.sessions.hasBackgroundActivity)
  }
}
