import LocationLink
import LocationModel
import TestSupport
import Testing

@Suite("What an app still wants")
struct SubscriptionReplayTests {
  private let manager = SubscriberID(1)
  private let loop = SubscriberID(2)
  private let monitor = SubscriberID(3)
  private let place = ConditionTarget.circle(
    Circle(center: Coordinate(latitude: 48, longitude: 11), radius: 100))

  private func standing(_ requests: Request...) -> SubscriptionReplay {
    var standing = SubscriptionReplay(ClientState())
    for request in requests { standing.note(request) }
    return standing
  }

  @Test("is asked again in the order in which it was asked, with the latest options")
  func order() {
    var options = UpdateOptions()
    var standing = standing(
      .authorization(.observe(manager)), .updates(manager, .start(options)),
      .live(loop, .start(LiveOptions())))
    options.distanceFilter = 50
    standing.note(.updates(manager, .change(options)))
    #expect(
      standing.again(ClientState()) == [
        .authorization(.observe(manager)), .updates(manager, .start(options)),
        .live(loop, .start(LiveOptions())),
      ])
  }

  @Test("is not what was stopped, ended, or answered")
  func over() {
    let fix = Fix(
      coordinate: Coordinate(latitude: 1, longitude: 2), horizontalAccuracy: 5,
      time: UnixTime(seconds: 1))
    let region = RegionDescription(identifier: "a", target: place, notices: RegionNotices())
    let session = SubscriberID(9)
    var standing = standing(
      .updates(manager, .start(UpdateOptions())), .updates(manager, .stop),
      .live(loop, .start(LiveOptions())), .end(loop), .visits(on: true), .visits(on: false),
      .significantChanges(manager, on: true), .significantChanges(manager, on: false),
      .updates(manager, .once(UpdateOptions())), .region(manager, .start(region)),
      .region(manager, .stop(identifier: "b")), .session(session, .openBackgroundActivity),
      .session(session, .invalidate),
      .authorization(.temporaryFullAccuracy(purposeKey: "k", ticket: SubscriberID(8))))
    #expect(standing.again(ClientState()).count == 5)
    _ = standing.receive(.updates(manager, .fixes([fix])))
    _ = standing.receive(.region(manager, region, .started))
    _ = standing.receive(.regions([region]))
    _ = standing.receive(.temporaryFullAccuracy(SubscriberID(8), nil))
    #expect(standing.again(ClientState()) == [.visits(on: false)])
  }

  @Test("AUTH-20: is no question that was answered or ignored, and one that still waits")
  func questions() {
    let request = Request.authorization(.request(.whenInUse, by: manager))
    var (idle, asking) = (ClientState(), ClientState())
    asking.isAsking = true
    idle.isAsking = false
    var standing = standing(request)
    #expect(standing.again(idle) == [request], "the daemon was away when the app asked")
    _ = standing.receive(.state(asking))
    #expect(standing.again(idle) == [request], "the daemon ended before the person answered")
    _ = standing.receive(.state(idle))
    #expect(standing.again(idle).isEmpty, "it was answered, or ignored")
  }

  @Test("VISIT-1, REG-1, REG-9: a daemon that was away hears the last word, and in its order")
  func lastWord() {
    let region = RegionDescription(identifier: "a", target: place, notices: RegionNotices())
    var standing = standing(
      .visits(on: true), .region(manager, .start(region)),
      .region(manager, .stop(identifier: "a")), .visits(on: false),
      .region(manager, .start(region)))
    #expect(
      standing.again(ClientState()) == [.visits(on: false), .region(manager, .start(region))])
  }

  @Test("STD-14: updates that a denial has ended are not begun again")
  func denied() {
    var standing = standing(
      .updates(manager, .start(UpdateOptions())), .updates(loop, .start(UpdateOptions())))
    _ = standing.receive(.updates(manager, .failed(.denied)))
    _ = standing.receive(.updates(loop, .failed(.positionUnknown)))
    #expect(standing.again(ClientState()) == [.updates(loop, .start(UpdateOptions()))])
  }

  @Test("STD-47, LIFE-9: what began in front begins in front again, and then the app is behind")
  func begunInFront() {
    let (first, second) = (
      Request.updates(manager, .start(UpdateOptions())),
      Request.updates(loop, .start(UpdateOptions()))
    )
    var standing = standing(
      .authorization(.observe(manager)), first, .life(.background), second)
    #expect(
      standing.again(ClientState())
        == [first, .life(.background), .authorization(.observe(manager)), second])
    standing.note(.life(.foreground))
    #expect(
      standing.again(ClientState()) == [.authorization(.observe(manager)), first, second])
  }

  @Test("AUTH-12: no callback comes again for a standing that did not change")
  func callbacks() {
    var standing = standing(.authorization(.observe(manager)))
    #expect(standing.receive(.authorizationChanged(manager)) != nil)
    _ = standing.again(ClientState())
    #expect(standing.receive(.authorizationChanged(manager)) == nil)
    #expect(standing.receive(.authorizationChanged(manager)) != nil)
    let later = SubscriberID(7)
    standing.note(.authorization(.observe(later)))
    _ = standing.again(ClientState())
    #expect(standing.receive(.authorizationChanged(manager)) == nil)
    #expect(standing.receive(.authorizationChanged(later)) != nil, "AUTH-11: its first")
    let granted = ClientState(authorization: AuthorizationReport(status: .whenInUse))
    _ = standing.again(granted)
    #expect(standing.receive(.authorizationChanged(manager)) != nil)
  }

  @Test("LIFE-5: no event is received twice, and an acknowledgment is sent again")
  func pending() {
    func event(_ number: Int64) -> Delivery {
      .pending(EventNumber(rawValue: number), .visit(Samples.stay))
    }
    var standing = standing(.acknowledge(EventNumber(rawValue: 4)))
    #expect(standing.receive(event(5)) == event(5))
    #expect(standing.receive(event(6)) == event(6))
    standing.note(.acknowledge(EventNumber(rawValue: 5)))
    #expect(standing.again(ClientState()) == [.acknowledge(EventNumber(rawValue: 5))])
    #expect(standing.receive(event(5)) == nil)
    #expect(standing.receive(event(6)) == nil)
    #expect(standing.receive(event(7)) == event(7))
    // A daemon that knows no numbers delivers each event once.
    #expect(standing.receive(event(0)) == event(0))
  }

  @Test("is told that there are no positions, where it waits for some")
  func silence() {
    let standing = standing(
      .updates(manager, .start(UpdateOptions())), .live(loop, .start(LiveOptions())),
      .visits(on: true))
    #expect(
      standing.silence == [
        .updates(manager, .failed(.positionUnknown)),
        .live(loop, LiveUpdate(fix: nil, diagnostics: .locationUnavailable)),
      ])
  }

  @Test("LIVE-20: tells nothing to a loop that waits for permission only")
  func barred() {
    var standing = standing(.live(loop, .start(LiveOptions())))
    _ = standing.again(ClientState(authorization: AuthorizationReport(status: .denied)))
    #expect(standing.silence == [])
  }

  @Test("STD-26: fails to get one location when the daemon stays away")
  func inVain() {
    var standing = standing(.updates(manager, .once(UpdateOptions())))
    #expect(standing.silence == [])
    #expect(standing.giveUpWaiting() == [.updates(manager, .failed(.positionUnknown))])
    #expect(standing.giveUpWaiting() == [])
    #expect(standing.again(ClientState()) == [])
  }

  @Test("SESS-16, SESS-17: ends a session's loops itself; one that goes on hears of changes only")
  func diagnostics() {
    let (session, stream) = (SubscriberID(5), SubscriberID(6))
    var standing = standing(
      .session(session, .open(.whenInUse, purposeKey: nil)),
      .session(session, .diagnose(stream: stream)))
    let (denied, none) = (
      Delivery.diagnostics(stream, .authorizationDenied), Delivery.diagnostics(stream, [])
    )
    #expect(standing.receive(denied) == denied)
    _ = standing.again(ClientState())
    #expect(standing.receive(denied) == nil)
    #expect(standing.receive(none) == none)
    #expect(
      standing.loops(endedBy: .session(session, .invalidate)) == [.diagnostics(stream, nil)])
  }

  @Test("MON-9: is what a monitor was asked and has not carried out")
  func monitorRequests() {
    let add = MonitorRequest.add(identifier: "a", place, assuming: .unknown)
    let remove = MonitorRequest.remove(identifier: "b")
    var standing = standing(
      .monitor(monitor, .open(name: "m")), .monitor(monitor, add), .monitor(monitor, remove))
    _ = standing.receive(.monitor(monitor, .records(after: 1, [])))
    _ = standing.receive(.monitor(monitor, .records(after: 2, [])))
    #expect(
      standing.again(ClientState())
        == [.monitor(monitor, .open(name: "m")), .monitor(monitor, remove)])
    // The app counts what it has asked itself, over both connections.
    #expect(
      standing.receive(.monitor(monitor, .records(after: 1, [])))
        == .monitor(monitor, .records(after: 2, [])))
    #expect(
      standing.receive(.monitor(monitor, .records(after: 2, [])))
        == .monitor(monitor, .records(after: 3, [])))
  }

  @Test("MON-23: a loop that waits acknowledges its last event to a daemon that has come back")
  func handledEvents() {
    let (first, second) = (EventNumber(rawValue: 1), EventNumber(rawValue: 2))
    let event = ConditionEvent(identifier: "a", state: .satisfied, date: UnixTime(seconds: 1))
    var standing = standing(
      .monitor(monitor, .open(name: "m")), .monitor(monitor, .next(after: .none)))
    _ = standing.receive(.monitor(monitor, .records(after: 1, [])))
    _ = standing.receive(.monitor(monitor, .changed(after: 2, [], removed: [])))
    #expect(standing.receive(.monitor(monitor, .event(first, event))) != nil)
    // While the event is being handled, the loop does not ask.
    #expect(standing.again(ClientState()) == [.monitor(monitor, .open(name: "m"))])
    // Asking for the next one acknowledges the first; the daemon dies before it receives that.
    standing.note(.monitor(monitor, .next(after: first)))
    let again: [Request] = [
      .monitor(monitor, .open(name: "m")), .monitor(monitor, .next(after: first)),
    ]
    #expect(standing.again(ClientState()) == again)
    _ = standing.receive(.monitor(monitor, .records(after: 1, [])))
    _ = standing.receive(.monitor(monitor, .changed(after: 2, [], removed: [])))
    // It waits still, and acknowledges to each daemon that comes.
    #expect(standing.again(ClientState()) == again)
    #expect(standing.receive(.monitor(monitor, .event(second, event))) != nil)
  }

  @Test("MON-37a: a request for an event that came with the daemon's last breath is not repeated")
  func overtaken() {
    let (first, second) = (EventNumber(rawValue: 1), EventNumber(rawValue: 2))
    let event = ConditionEvent(identifier: "a", state: .satisfied, date: UnixTime(seconds: 1))
    var standing = standing(
      .monitor(monitor, .open(name: "m")), .monitor(monitor, .next(after: first)))
    _ = standing.receive(.monitor(monitor, .records(after: 1, [])))
    // The event comes, and not the answer that the request was carried out.
    _ = standing.receive(.monitor(monitor, .event(second, event)))
    standing.note(.monitor(monitor, .next(after: second)))
    #expect(
      standing.again(ClientState()) == [
        .monitor(monitor, .open(name: "m")), .monitor(monitor, .next(after: second)),
        .monitor(monitor, .next(after: second)),
      ])
    // What a loop has acknowledged before it was left stays acknowledged.
    standing.note(.monitor(monitor, .leave))
    standing.note(.monitor(monitor, .next(after: .none)))
    #expect(
      standing.again(ClientState()).dropFirst() == [
        .monitor(monitor, .next(after: second)), .monitor(monitor, .next(after: second)),
        .monitor(monitor, .leave), .monitor(monitor, .next(after: .none)),
      ])
  }

  @Test("MON-24: a loop that was left and begins anew acknowledges nothing")
  func leftLoop() {
    let event = ConditionEvent(identifier: "a", state: .satisfied, date: UnixTime(seconds: 1))
    var standing = standing(
      .monitor(monitor, .open(name: "m")), .monitor(monitor, .next(after: .none)))
    _ = standing.receive(.monitor(monitor, .records(after: 1, [])))
    _ = standing.receive(.monitor(monitor, .changed(after: 2, [], removed: [])))
    _ = standing.receive(.monitor(monitor, .event(EventNumber(rawValue: 1), event)))
    standing.note(.monitor(monitor, .leave))
    _ = standing.receive(.monitor(monitor, .changed(after: 3, [], removed: [])))
    #expect(standing.again(ClientState()) == [.monitor(monitor, .open(name: "m"))])
  }
}
