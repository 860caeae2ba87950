import LocationEngine
import LocationModel
import Testing

@Suite("The authorization state table")
struct AuthorizationTableTests {
  typealias Grant = AuthorizationRecord.Grant

  @Test(
    "row 1, AUTH-11: a new manager receives the status, whichever it is", arguments: Grant.allCases)
  func row1(grant: Grant) {
    var bench = AuthorizationBench.at(grant)
    let status = bench.status.rawValue
    #expect(bench.send(.managerCreated(7)) == ["manager 7: \(status)"])
    #expect(bench.grant == grant)
  }

  @Test(
    "rows 2-4, AUTH-4, AUTH-17: the first question decides",
    arguments: [
      (PromptAnswer.whileUsing, Grant.whenInUse, "whenInUse"), (.once, .once, "whenInUse"),
      (.deny, .denied, "denied"),
    ])
  func rows2to4(answer: PromptAnswer, grant: Grant, reported: String) throws {
    var bench = AuthorizationBench()
    #expect(bench.request(.whenInUse) == ["asks whenInUse"])
    let prompt = try #require(bench.machine.openPrompt)
    #expect(prompt.text == "To draw your walk.")
    #expect(prompt.appName == "Walk")
    #expect(bench.status == .notDetermined)
    #expect(bench.answer(answer) == [reported])
    #expect(bench.grant == grant)
  }

  @Test("row 5, AUTH-19: without the key there is no question, and a message names it")
  func row5WithoutKey() {
    var bench = AuthorizationBench(manifest: Manifest(file: "Walk.plist"))
    #expect(
      bench.request(.whenInUse) == [
        "explains: no question is asked: add the key NSLocationWhenInUseUsageDescription "
          + "with the reason to Walk.plist"
      ])
    #expect(bench.status == .notDetermined)
  }

  @Test("row 5, AUTH-19: an empty text counts as none")
  func row5EmptyText() {
    let manifest = Manifest([Manifest.Key.whenInUse: .string("")])
    var bench = AuthorizationBench(manifest: manifest)
    _ = bench.request(.whenInUse)
    #expect(bench.machine.openPrompt == nil)
  }

  @Test("row 5, AUTH-20: outside direct use a request is ignored and not queued")
  func row5NotInDirectUse() {
    for use in [AppUse.none, .extended] {
      var bench = AuthorizationBench(use: use)
      #expect(
        bench.request(.whenInUse) == ["explains: ignored: the app is not in the foreground"])
      #expect(bench.send(.use(.direct)) == [])
    }
  }

  @Test(
    "rows 6-8, AUTH-21: a request for Always leads to a provisional one",
    arguments: [
      (PromptAnswer.whileUsing, Grant.provisionalAlways, "always"),
      (.once, .once, "whenInUse"), (.deny, .denied, "denied"),
    ])
  func rows6to8(answer: PromptAnswer, grant: Grant, reported: String) throws {
    var bench = AuthorizationBench()
    #expect(bench.request(.always) == ["asks whenInUse"])
    #expect(try #require(bench.machine.openPrompt).text == "To draw your walk.")
    #expect(bench.answer(answer) == [reported])
    #expect(bench.grant == grant)
  }

  @Test(
    "rows 9 and 10: a session's goal of when-in-use asks",
    arguments: [
      (PromptAnswer.whileUsing, Grant.whenInUse), (.once, .once), (.deny, .denied),
    ])
  func rows9and10(answer: PromptAnswer, grant: Grant) {
    var bench = AuthorizationBench()
    #expect(bench.send(.goal(.whenInUse)) == ["asks whenInUse"])
    _ = bench.answer(answer)
    #expect(bench.grant == grant)
  }

  @Test("row 10, SESS-2: a goal held in the background asks at the next direct use")
  func row10Later() {
    var bench = AuthorizationBench(use: .none)
    #expect(
      bench.send(.goal(.whenInUse)) == ["explains: ignored: the app is not in the foreground"])
    #expect(bench.send(.use(.direct)) == ["asks whenInUse"])
  }

  @Test("row 11, SESS-3: a session's goal of Always leads to a provisional one")
  func row11() {
    var bench = AuthorizationBench()
    #expect(bench.send(.goal(.always)) == ["asks whenInUse"])
    #expect(bench.answer(.whileUsing) == ["always"])
    #expect(bench.grant == .provisionalAlways)
  }

  @Test("row 12, AUTH-22: the first request for Always in use asks the second question")
  func row12() throws {
    var bench = AuthorizationBench.at(.whenInUse)
    #expect(bench.request(.always) == ["asks upgrade"])
    #expect(try #require(bench.machine.openPrompt).text == "To draw it in your pocket.")
    #expect(bench.answer(.always) == ["always"])
    #expect(bench.grant == .always)
  }

  @Test("row 13, AUTH-13: Keep Only While Using calls nobody back")
  func row13() {
    var bench = AuthorizationBench.at(.whenInUse)
    _ = bench.request(.always)
    #expect(bench.answer(.keepWhileUsing) == [])
    #expect(bench.grant == .whenInUse)
  }

  @Test("row 14, AUTH-23: a second request for Always does nothing, also after no answer")
  func row14() {
    for answer in [PromptAnswer.keepWhileUsing, .dismissed] {
      var bench = AuthorizationBench.at(.whenInUse)
      _ = bench.request(.always) + bench.answer(answer)
      #expect(
        bench.request(.always) == [
          "explains: Always was asked for once already; change it in the settings"
        ])
    }
  }

  @Test("row 15: a session's goal of Always uses the opportunity")
  func row15() {
    for (answer, said) in [(PromptAnswer.always, ["always"]), (.keepWhileUsing, [])] {
      var bench = AuthorizationBench.at(.whenInUse)
      #expect(bench.send(.goal(.always)) == ["asks upgrade"])
      #expect(bench.answer(answer).filter { !$0.hasPrefix("explains") } == said)
      #expect(bench.machine.record.opportunityUsed)
    }
  }

  @Test("row 16, AUTH-24: a grant for once receives no request, and keeps the opportunity")
  func row16() {
    var bench = AuthorizationBench.at(.once)
    #expect(bench.request(.always) == ["explains: ignored: the present grant is for once"])
    #expect(bench.request(.whenInUse) == ["explains: nothing to ask: already decided"])
    #expect(!bench.machine.record.opportunityUsed)
  }

  @Test("row 17, AUTH-28, AUTH-29: a grant for once lapses with the use, not before")
  func row17() {
    var bench = AuthorizationBench.at(.once)
    #expect(bench.send(.use(.extended)) == [])
    #expect(bench.send(.use(.none)) == ["notDetermined"])
  }

  @Test("row 18, AUTH-30: after a lapse the first question comes again")
  func row18() {
    var bench = AuthorizationBench()
    _ = bench.send(.goal(.whenInUse)) + bench.answer(.once)
    #expect(bench.send(.use(.none)).first == "explains: ignored: the app is not in the foreground")
    #expect(bench.send(.use(.direct)) == ["asks whenInUse"])

    var requesting = AuthorizationBench.at(.once)
    _ = requesting.send(.use(.none)) + requesting.send(.use(.direct))
    #expect(requesting.request(.whenInUse) == ["asks whenInUse"])
  }

  @Test("row 19, AUTH-32 to AUTH-34: an event that needs Always asks, and waits for the yes")
  func row19() {
    var bench = AuthorizationBench.at(.provisionalAlways)
    _ = bench.send(.use(.none))
    #expect(bench.send(.alwaysEvent(EventNumber(rawValue: 1))) == ["asks upgrade"])
    #expect(bench.answer(.always) == ["event 1"])
    #expect(bench.grant == .always)
  }

  @Test("row 20, AUTH-35: Keep Only While Using drops the event and calls back")
  func row20() {
    var bench = AuthorizationBench.at(.provisionalAlways)
    _ = bench.send(.use(.none)) + bench.send(.alwaysEvent(EventNumber(rawValue: 1)))
    #expect(bench.answer(.keepWhileUsing) == ["drops 1: notAuthorized", "whenInUse"])
  }

  @Test("row 21, AUTH-38: a reminder can take Always back")
  func row21() {
    var bench = AuthorizationBench.at(.always)
    #expect(bench.send(.remind) == ["asks reminder"])
    #expect(bench.answer(.always) == [])
    #expect(bench.send(.remind) == ["asks reminder"])
    #expect(bench.answer(.keepWhileUsing) == ["whenInUse"])
  }

  @Test("row 22, AUTH-3, AUTH-18, SESS-8: denied and restricted apps ask nothing")
  func row22() {
    let inputs: [Authorization.Input] = [
      .request(.whenInUse, manager: 1), .request(.always, manager: 1), .goal(.whenInUse),
      .goal(.always), .remind, .temporaryAccuracy(.call(1), purposeKey: "race"),
    ]
    for input in inputs {
      var denied = AuthorizationBench.at(.denied)
      _ = denied.send(input)
      #expect(denied.machine.openPrompt == nil && denied.status == .denied)
      var restricted = AuthorizationBench()
      _ = restricted.send(.restriction(true)) + restricted.send(input)
      #expect(restricted.machine.openPrompt == nil && restricted.status == .restricted)
    }
  }

  @Test("row 23, AUTH-8, AUTH-9: the settings change any grant, and only a change calls back")
  func row23() {
    for grant in Grant.allCases {
      for setting in AuthorizationSetting.allCases {
        var bench = AuthorizationBench.at(grant)
        let before = bench.status
        let said = bench.send(.setting(setting))
        let expected: AuthorizationStatus =
          switch setting {
          case .never: .denied
          case .ask: .notDetermined
          case .whileUsing: .whenInUse
          case .always: .always
          }
        #expect(bench.status == expected)
        #expect(said == (before == expected ? [] : [expected.rawValue]))
      }
    }
  }

  @Test("row 24: a restriction hides the grant, and lifting it shows it", arguments: Grant.allCases)
  func row24(grant: Grant) {
    var bench = AuthorizationBench.at(grant)
    let before = bench.status.rawValue
    #expect(bench.send(.restriction(true)) == ["restricted"])
    #expect(bench.send(.restriction(false)) == [before])
  }

  @Test("row 25, AUTH-5, AUTH-6: the switch of the machine", arguments: Grant.allCases)
  func row25(grant: Grant) {
    var bench = AuthorizationBench.at(grant)
    let before = bench.status.rawValue
    #expect(bench.send(.services(on: false)) == (grant == .denied ? [] : ["denied"]))
    #expect(bench.status == .denied)
    #expect(bench.send(.services(on: true)) == (grant == .denied ? [] : [before]))
  }

  @Test("row 26, AUTH-7: a reset forgets everything", arguments: Grant.allCases)
  func row26(grant: Grant) {
    var bench = AuthorizationBench.at(grant)
    #expect(bench.send(.reset) == (grant == .undecided ? [] : ["notDetermined"]))
    #expect(bench.request(.whenInUse) == ["asks whenInUse"])
  }

  @Test("row 27, AUTH-10: an update without the key takes Always back; denied stays denied")
  func row27() {
    var update = AuthorizationBench.manifest
    update.alwaysAndWhenInUseUsage = nil
    for grant in [Grant.always, .provisionalAlways] {
      var bench = AuthorizationBench.at(grant)
      #expect(bench.send(.manifest(update)) == ["whenInUse"])
    }
    var denied = AuthorizationBench.at(.denied)
    #expect(denied.send(.manifest(update)) == [])
    #expect(denied.status == .denied)
  }

  @Test(
    "row 28, AUTH-12: Precise changes the accuracy alone",
    arguments: [Grant.whenInUse, .once, .provisionalAlways, .always])
  func row28(grant: Grant) {
    var bench = AuthorizationBench.at(grant)
    let status = bench.status.rawValue
    #expect(bench.send(.precise(false)) == ["\(status), reduced"])
    #expect(bench.send(.precise(true)) == [status])
  }

  @Test("row 29, AUTH-47, AUTH-50: full accuracy for a while ends with the use")
  func row29() throws {
    var bench = AuthorizationBench.at(.whenInUse, precise: false)
    #expect(
      bench.send(.temporaryAccuracy(.call(1), purposeKey: "race")) == [
        "asks temporaryAccuracy(purposeKey: \"race\")"
      ])
    #expect(try #require(bench.machine.openPrompt).text == "To time your race.")
    #expect(bench.answer(.accept) == ["call(1) ends: no error", "whenInUse"])
    #expect(bench.send(.use(.extended)) == [])
    #expect(bench.send(.use(.none)) == ["whenInUse, reduced"])
  }
}
