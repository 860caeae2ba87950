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

  private func replay(_ requests: Request...) -> SubscriptionReplay {
    var replay = SubscriptionReplay(ClientState())
    for request in requests { replay.note(request) }
    return replay
  }

  @Test("is asked again in the order in which it was asked, with the latest options")
  func order() {
    var options = UpdateOptions()
    var replay = replay(
      .authorization(.observe(manager)), .updates(manager, .start(options)),
      .live(loop, .start(LiveOptions())))
    options.distanceFilter = 50
    replay.note(.updates(manager, .change(options)))
    #expect(
      replay.again(ClientState()) == [
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
    var replay = replay(
      .updates(manager, .start(UpdateOptions())), .updates(manager, .stop),
      .live(loop, .start(LiveOptions())), .end(loop), .visits(on: true), .visits(on: false),
      .significantChanges(manager, on: true), .significantChanges(manager, on: false),
      .updates(manager, .once(UpdateOptions())), .region(manager, .start(region)),
      .region(manager, .stop(identifier: "b")), .session(session, .openBackgroundActivity),
      .session(session, .invalidate),
      .authorization(.temporaryFullAccuracy(purposeKey: "k", ticket: SubscriberID(8))))
    #expect(replay.again(ClientState()).count == 5)
    _ = replay.receive(.updates(manager, .fixes([fix])))
    _ = replay.receive(.region(manager, region, .started))
    _ = replay.receive(.regions([region]))
    _ = replay.receive(.temporaryFullAccuracy(SubscriberID(8), nil))
    #expect(replay.again(ClientState()) == [.visits(on: false)])
  }

  @Test("AUTH-20: is no question that was answered or ignored, and one that still waits")
  func questions() {
    let request = Request.authorization(.request(.whenInUse, by: manager))
    var (idle, asking) = (ClientState(), ClientState())
    asking.isAsking = true
    idle.isAsking = false
    var replay = replay(request)
    #expect(replay.again(idle) == [request], "the daemon was away when the app asked")
    _ = replay.receive(.state(asking))
    #expect(replay.again(idle) == [request], "the daemon ended before the person answered")
    _ = replay.receive(.state(idle))
    #expect(replay.again(idle).isEmpty, "it was answered, or ignored")
  }

  @Test("VISIT-1, REG-1, REG-9: a daemon that was away receives the last request, and in its order")
  func lastWord() {
    let region = RegionDescription(identifier: "a", target: place, notices: RegionNotices())
    var replay = replay(
      .visits(on: true), .region(manager, .start(region)),
      .region(manager, .stop(identifier: "a")), .visits(on: false),
      .region(manager, .start(region)))
    #expect(
      replay.again(ClientState()) == [.visits(on: false), .region(manager, .start(region))])
  }

  @Test("STD-14: updates that a denial has ended are not begun again")
  func denied() {
    var replay = replay(
      .updates(manager, .start(UpdateOptions())), .updates(loop, .start(UpdateOptions())))
    _ = replay.receive(.updates(manager, .failed(.denied)))
    _ = replay.receive(.updates(loop, .failed(.positionUnknown)))
    #expect(replay.again(ClientState()) == [.updates(loop, .start(UpdateOptions()))])
  }

  @Test("STD-47, LIFE-9: what began in front begins in front again, and then the app is behind")
  func begunInFront() {
    let (first, second) = (
      Request.updates(manager, .start(UpdateOptions())),
      Request.updates(loop, .start(UpdateOptions()))
    )
    var replay = replay(
      .authorization(.observe(manager)), first, .life(.background), second)
    #expect(
      replay.again(ClientState())
        == [first, .life(.background), .authorization(.observe(manager)), second])
    replay.note(.life(.foreground))
    #expect(
      replay.again(ClientState()) == [.authorization(.observe(manager)), first, second])
  }

  @Test("AUTH-12: no callback comes again for an unchanged state")
  func callbacks() {
    var replay = replay(.authorization(.observe(manager)))
    #expect(replay.receive(.authorizationChanged(manager)) != nil)
    _ = replay.again(ClientState())
    #expect(replay.receive(.authorizationChanged(manager)) == nil)
    #expect(replay.receive(.authorizationChanged(manager)) != nil)
    let later = SubscriberID(7)
    replay.note(.authorization(.observe(later)))
    _ = replay.again(ClientState())
    #expect(replay.receive(.authorizationChanged(manager)) == nil)
    #expect(replay.receive(.authorizationChanged(later)) != nil, "AUTH-11: its first")
    let granted = ClientState(authorization: AuthorizationReport(status: .whenInUse))
    _ = replay.again(granted)
    #expect(replay.receive(.authorizationChanged(manager)) != nil)
  }

  @Test("LIFE-5: no event is received twice, and an acknowledgment is sent again")
  func pending() {
    func event(_ number: Int64) -> Delivery {
      .pending(EventNumber(rawValue: number), .visit(Samples.stay))
    }
    var replay = replay(.acknowledge(EventNumber(rawValue: 4)))
    #expect(replay.receive(event(5)) == event(5))
    #expect(replay.receive(event(6)) == event(6))
    replay.note(.acknowledge(EventNumber(rawValue: 5)))
    #expect(replay.again(ClientState()) == [.acknowledge(EventNumber(rawValue: 5))])
    #expect(replay.receive(event(5)) == nil)
    #expect(replay.receive(event(6)) == nil)
    #expect(replay.receive(event(7)) == event(7))
    // A daemon that knows no numbers delivers each event once.
    #expect(replay.receive(event(0)) == event(0))
  }

  @Test("learns that there are no positions, where it waits for some")
  func silence() {
    let replay = replay(
      .updates(manager, .start(UpdateOptions())), .live(loop, .start(LiveOptions())),
      .visits(on: true))
    #expect(
      replay.silence == [
        .updates(manager, .failed(.positionUnknown)),
        .live(loop, LiveUpdate(fix: nil, diagnostics: .locationUnavailable)),
      ])
  }

  @Test("LIVE-20: tells nothing to a loop that waits for permission only")
  func barred() {
    var replay = replay(.live(loop, .start(LiveOptions())))
    _ = replay.again(ClientState(authorization: AuthorizationReport(status: .denied)))
    #expect(replay.silence == [])
  }

  @Test("STD-26: fails to get one location when the daemon stays away")
  func inVain() {
    var replay = replay(.updates(manager, .once(UpdateOptions())))
    #expect(replay.silence == [])
    #expect(replay.giveUpWaiting() == [.updates(manager, .failed(.positionUnknown))])
    #expect(replay.giveUpWaiting() == [])
    #expect(replay.again(ClientState()) == [])
  }

  @Test("SESS-16, SESS-17: ends a session's loops itself; one that goes on learns of changes only")
  func diagnostics() {
    let (session, stream) = (SubscriberID(5), SubscriberID(6))
    var replay = replay(
      .session(session, .open(.whenInUse, purposeKey: nil)),
      .session(session, .diagnose(stream: stream)))
    let (denied, none) = (
      Delivery.diagnostics(stream, .authorizationDenied), Delivery.diagnostics(stream, [])
    )
    #expect(replay.receive(denied) == denied)
    _ = replay.again(ClientState())
    #expect(replay.receive(denied) == nil)
    #expect(replay.receive(none) == none)
    #expect(
      replay.loops(endedBy: .session(session, .invalidate)) == [.diagnostics(stream, nil)])
  }

  @Test("MON-9: is what a monitor was asked and has not carried out")
  func monitorRequests() {
    let add = MonitorRequest.add(identifier: "a", place, assuming: .unknown)
    let remove = MonitorRequest.remove(identifier: "b")
    var replay = replay(
      .monitor(monitor, .open(name: "m")), .monitor(monitor, add), .monitor(monitor, remove))
    _ = replay.receive(.monitor(monitor, .records(after: 1, [])))
    _ = replay.receive(.monitor(monitor, .records(after: 2, [])))
    #expect(
      replay.again(ClientState())
        == [.monitor(monitor, .open(name: "m")), .monitor(monitor, remove)])
    // The app counts what it has asked itself, over both connections.
    #expect(
      replay.receive(.monitor(monitor, .records(after: 1, [])))
        == .monitor(monitor, .records(after: 2, [])))
    #expect(
      replay.receive(.monitor(monitor, .records(after: 2, [])))
        == .monitor(monitor, .records(after: 3, [])))
  }

  @Test("MON-23: a loop that waits acknowledges its last event to a daemon that has come back")
  func handledEvents() {
    let (first, second) = (EventNumber(rawValue: 1), EventNumber(rawValue: 2))
    let event = ConditionEvent(identifier: "a", state: .satisfied, date: UnixTime(seconds: 1))
    var replay = replay(
      .monitor(monitor, .open(name: "m")), .monitor(monitor, .next(after: .none)))
    _ = replay.receive(.monitor(monitor, .records(after: 1, [])))
    _ = replay.receive(.monitor(monitor, .changed(after: 2, [], removed: [])))
    #expect(replay.receive(.monitor(monitor, .event(first, event))) != nil)
    // While the event is being handled, the loop does not ask.
    #expect(replay.again(ClientState()) == [.monitor(monitor, .open(name: "m"))])
    // Asking for the next one acknowledges the first; the daemon dies before it receives that.
    replay.note(.monitor(monitor, .next(after: first)))
    let again: [Request] = [
      .monitor(monitor, .open(name: "m")), .monitor(monitor, .next(after: first)),
    ]
    #expect(replay.again(ClientState()) == again)
    _ = replay.receive(.monitor(monitor, .records(after: 1, [])))
    _ = replay.receive(.monitor(monitor, .changed(after: 2, [], removed: [])))
    // It waits still, and acknowledges to each daemon that comes.
    #expect(replay.again(ClientState()) == again)
    #expect(replay.receive(.monitor(monitor, .event(second, event))) != nil)
  }

  @Test("MON-37a: a request for an event that came with the daemon's last breath is not repeated")
  func overtaken() {
    let (first, second) = (EventNumber(rawValue: 1), EventNumber(rawValue: 2))
    let event = ConditionEvent(identifier: "a", state: .satisfied, date: UnixTime(seconds: 1))
    var replay = replay(
      .monitor(monitor, .open(name: "m")), .monitor(monitor, .next(after: first)))
    _ = replay.receive(.monitor(monitor, .records(after: 1, [])))
    // The event comes, and not the answer that the request was carried out.
    _ = replay.receive(.monitor(monitor, .event(second, event)))
    replay.note(.monitor(monitor, .next(after: second)))
    #expect(
      replay.again(ClientState()) == [
        .monitor(monitor, .open(name: "m")), .monitor(monitor, .next(after: second)),
        .monitor(monitor, .next(after: second)),
      ])
    // What a loop has acknowledged before it was left stays acknowledged.
    replay.note(.monitor(monitor, .leave))
    replay.note(.monitor(monitor, .next(after: .none)))
    #expect(
      replay.again(ClientState()).dropFirst() == [
        .monitor(monitor, .next(after: second)), .monitor(monitor, .next(after: second)),
        .monitor(monitor, .leave), .monitor(monitor, .next(after: .none)),
      ])
  }

  @Test("MON-24: a loop that was left and begins anew acknowledges nothing")
  func leftLoop() {
    let event = ConditionEvent(identifier: "a", state: .satisfied, date: UnixTime(seconds: 1))
    var replay = replay(
      .monitor(monitor, .open(name: "m")), .monitor(monitor, .next(after: .none)))
    _ = replay.receive(.monitor(monitor, .records(after: 1, [])))
    _ = replay.receive(.monitor(monitor, .changed(after: 2, [], removed: [])))
    _ = replay.receive(.monitor(monitor, .event(EventNumber(rawValue: 1), event)))
    replay.note(.monitor(monitor, .leave))
    _ = replay.receive(.monitor(monitor, .changed(after: 3, [], removed: [])))
    #expect(replay.again(ClientState()) == [.monitor(monitor, .open(name: "m"))])
  }
}
