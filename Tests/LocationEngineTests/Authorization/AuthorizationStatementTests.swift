import LocationEngine
import LocationModel
import TestSupport
import Testing

@Suite("The authorization of an app")
struct AuthorizationStatementTests {
  typealias Grant = AuthorizationRecord.Grant

  @Test("AUTH-1: an app that was never asked reads not determined")
  func neverAsked() {
    #expect(AuthorizationBench().status == .notDetermined)
  }

  @Test("AUTH-16: accuracy reads full where it means nothing")
  func meaninglessAccuracy() {
    var bench = AuthorizationBench()
    _ = bench.send(.precise(false))
    #expect(bench.machine.accuracy == .full)
  }

  @Test("AUTH-25: a missing key for Always names itself, and the question for it never comes")
  func missingAlwaysKey() {
    let manifest = Manifest([Manifest.Key.whenInUse: .string("To draw.")])
    var bench = AuthorizationBench(manifest: manifest)
    let words = [
      "explains: no question is asked: add the key NSLocationAlwaysAndWhenInUseUsageDescription "
        + "with the reason to Info.plist"
    ]
    #expect(bench.request(.always) == words)
    bench.reach(.whenInUse)
    #expect(bench.request(.always) == words)
  }

  @Test("AUTH-25: the older key counts, with a warning")
  func olderAlwaysKey() {
    let manifest = Manifest([
      Manifest.Key.whenInUse: .string("To draw."), Manifest.Key.olderAlways: .string("Always."),
    ])
    var bench = AuthorizationBench(manifest: manifest)
    #expect(
      bench.request(.always) == [
        "explains: Info.plist has only the older key NSLocationAlwaysUsageDescription: "
          + "use NSLocationAlwaysAndWhenInUseUsageDescription",
        "asks whenInUse",
      ])
  }

  @Test("AUTH-26: two requests share a question, and Always is evaluated after the answer")
  func twoRequests() {
    var bench = AuthorizationBench()
    _ = bench.request(.whenInUse)
    #expect(bench.request(.always) == [])
    #expect(bench.answer(.whileUsing) == ["asks upgrade", "whenInUse"])
    #expect(bench.answer(.always) == ["always"])
  }

  @Test("AUTH-26: a joined request for Always dies with a no, and with Allow Once")
  func joinedRequestDies() {
    for answer in [PromptAnswer.deny, .once] {
      var bench = AuthorizationBench()
      _ = bench.request(.whenInUse) + bench.request(.always) + bench.answer(answer)
      #expect(bench.machine.openPrompt == nil && !bench.machine.record.opportunityUsed)
    }
  }

  @Test("AUTH-27: an answer given after leaving the foreground still counts")
  func lateAnswer() {
    var bench = AuthorizationBench()
    _ = bench.request(.whenInUse)
    #expect(bench.send(.use(.none)) == [])
    #expect(bench.answer(.whileUsing) == ["whenInUse"])
  }

  @Test("AUTH-27, SESS-23: an unanswered question changes nothing; a session's comes back")
  func unanswered() {
    var requesting = AuthorizationBench()
    _ = requesting.request(.whenInUse)
    #expect(requesting.answer(.dismissed) == [])
    #expect(requesting.send(.use(.extended)) + requesting.send(.use(.direct)) == [])

    var holding = AuthorizationBench()
    _ = holding.send(.goal(.whenInUse))
    #expect(
      holding.answer(.dismissed) == [
        "explains: the question went unanswered; it comes back with the next use"
      ])
    #expect(holding.send(.use(.extended)) == [])
    #expect(holding.send(.use(.direct)) == ["asks whenInUse"])
  }

  @Test("AUTH-31: only the simulator can tell provisional from full, and once from always-on")
  func indistinguishable() {
    let provisional = AuthorizationBench.at(.provisionalAlways).machine
    let full = AuthorizationBench.at(.always).machine
    #expect(provisional.report == full.report)
    #expect(provisional.isProvisional && !full.isProvisional)
    let once = AuthorizationBench.at(.once).machine
    #expect(once.report == AuthorizationBench.at(.whenInUse).machine.report && once.isForOnce)
  }

  @Test("AUTH-36: a newer event takes the place of the held one, and ten minutes are too long")
  func heldEvents() {
    var bench = AuthorizationBench.at(.provisionalAlways)
    _ = bench.send(.use(.none)) + bench.send(.alwaysEvent(EventNumber(rawValue: 1)))
    #expect(bench.send(.alwaysEvent(EventNumber(rawValue: 2))) == ["drops 1: displaced"])
    bench.bench.run(for: .seconds(599))
    #expect(bench.machine.nextDeadline != nil)
    bench.bench.run(for: .seconds(1))
    #expect(bench.bench.transcript.hasSuffix("00:10:00  drops 2: tooOld"))
    #expect(bench.answer(.always) == [])
  }

  @Test("AUTH-37: a provisional Always in use behaves like when-in-use")
  func provisionalInUse() {
    var bench = AuthorizationBench.at(.provisionalAlways)
    #expect(bench.send(.alwaysEvent(EventNumber(rawValue: 1))) == ["event 1"])
    _ = bench.send(.use(.none)) + bench.send(.alwaysEvent(EventNumber(rawValue: 2)))
    #expect(!bench.machine.isEffective)
    #expect(bench.send(.use(.direct)) == ["event 2"])
  }

  @Test("AUTH-39: when-in-use is effective in use only, Always everywhere")
  func effectiveness() {
    for (grant, expected) in [
      (Grant.undecided, [false, false, false]), (.denied, [false, false, false]),
      (.whenInUse, [false, true, true]), (.provisionalAlways, [false, true, true]),
      (.always, [true, true, true]),
    ] {
      for (use, isEffective) in zip(AppUse.allCases, expected) {
        var bench = AuthorizationBench.at(grant)
        _ = bench.send(.use(use))
        #expect(bench.machine.isEffective == isEffective, "\(grant) \(use)")
      }
    }
  }

  @Test("AUTH-40: reduced by default offers no precise choice; the settings still do")
  func reducedByDefault() throws {
    var manifest = AuthorizationBench.manifest
    manifest.defaultAccuracyReduced = true
    var bench = AuthorizationBench(manifest: manifest)
    _ = bench.request(.whenInUse)
    #expect(try !#require(bench.machine.openPrompt).offersPrecise)
    #expect(bench.answer(.whileUsing, precise: true) == ["whenInUse, reduced"])
    #expect(bench.send(.precise(true)) == ["whenInUse"])
  }

  @Test("AUTH-48: no key, full accuracy, or the background: declined without a question")
  func accuracyDeclined() {
    for (precise, use, key) in [
      (false, AppUse.direct, "other"), (true, .direct, "race"), (false, .extended, "race"),
    ] {
      var bench = AuthorizationBench.at(.whenInUse, precise: precise)
      _ = bench.send(.use(use))
      let words = bench.send(.temporaryAccuracy(.call(1), purposeKey: key))
      #expect(words.last == "call(1) ends: promptDeclined")
      #expect(bench.machine.openPrompt == nil)
    }
  }

  @Test("AUTH-49: a declined temporary request ends without an error")
  func accuracyRefused() {
    var bench = AuthorizationBench.at(.whenInUse, precise: false)
    _ = bench.send(.temporaryAccuracy(.call(1), purposeKey: "race"))
    #expect(bench.answer(.decline) == ["call(1) ends: no error"])
    #expect(bench.machine.accuracy == .reduced)
  }

  @Test("AUTH-51: without any grant the temporary request fails with denied")
  func accuracyWithoutGrant() {
    for grant in [Grant.undecided, .denied] {
      var bench = AuthorizationBench.at(grant)
      let words = bench.send(.temporaryAccuracy(.call(1), purposeKey: "race"))
      #expect(words == ["call(1) ends: denied"])
    }
  }

  @Test("AUTH-52: texts of the person's language replace those of the manifest")
  func localized() throws {
    let manifest = Manifest(
      [Manifest.Key.whenInUse: .string("To draw.")],
      localized: [Manifest.Key.whenInUse: "Zum Zeichnen."])
    var bench = AuthorizationBench(manifest: manifest)
    _ = bench.request(.whenInUse)
    #expect(try #require(bench.machine.openPrompt).text == "Zum Zeichnen.")
  }

  @Test("MODEL-6: a question that only a released manager asked is withdrawn")
  func released() {
    var bench = AuthorizationBench()
    _ = bench.send(.request(.whenInUse, manager: 1)) + bench.send(.request(.whenInUse, manager: 2))
    #expect(bench.send(.managerReleased(1)) == [])
    #expect(bench.send(.managerReleased(2)) == ["withdraws"])
  }

  @Test("explains answers that fit no open question, and decides nothing")
  func strayAnswers() {
    var bench = AuthorizationBench()
    let stray = Prompt.ID(app: AuthorizationBench.app, number: 9)
    #expect(
      bench.send(.answered(stray, .whileUsing, precise: true)) == [
        "explains: no open question has the number 9"
      ])
    _ = bench.request(.whenInUse)
    #expect(
      bench.answer(.always) == ["explains: the question does not offer the answer always"])
    #expect(bench.status == .notDetermined)
  }

  @Test(
    "LIFE-9: what was decided survives a restart, and a grant for once does too",
    arguments: Grant.allCases)
  func restart(grant: Grant) throws {
    let bench = AuthorizationBench.at(grant)
    let changes = bench.bench.outputs.compactMap { entry -> StateChange? in
      if case .persist(let change) = entry.output { change } else { nil }
    }
    var entries: [StateEntry] = []
    if case .set(let key, let value)? = changes.last {
      entries = [StateEntry(key: key, value: value)]
    }
    var machine = Authorization(app: AuthorizationBench.app, manifest: AuthorizationBench.manifest)
    let said = machine.restore(from: entries, at: bench.bench.now)
    #expect(said == [])
    #expect(machine.record == bench.machine.record)
    #expect(machine.report == bench.machine.report)
  }

  @Test("a record that cannot be read is said, and the app counts as never asked")
  func unreadable() {
    var machine = Authorization(app: AuthorizationBench.app, manifest: AuthorizationBench.manifest)
    let entry = StateEntry(key: AuthorizationRecord.key(of: AuthorizationBench.app), value: [1, 2])
    let now = Moment(uptime: .start, unixTime: UnixTime(seconds: 0))
    #expect(machine.restore(from: [entry], at: now) == [.explain(.unreadableRecord)])
    #expect(machine.status == .notDetermined)
  }
}
