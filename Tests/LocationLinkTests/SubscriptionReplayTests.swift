import LocationLink
import LocationModel
import MachineTesting
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
    _ = standing.hear(.updates(manager, .fixes([fix])))
    _ = standing.hear(.region(manager, region, .started))
    _ = standing.hear(.regions([region]))
    _ = standing.hear(.temporaryFullAccuracy(SubscriberID(8), nil))
    #expect(standing.again(ClientState()) == [.visits(on: false)])
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
    _ = standing.hear(.updates(manager, .failed(.denied)))
    _ = standing.hear(.updates(loop, .failed(.positionUnknown)))
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
    #expect(standing.hear(.authorizationChanged(manager)).delivered != nil)
    _ = standing.again(ClientState())
    #expect(standing.hear(.authorizationChanged(manager)).delivered == nil)
    #expect(standing.hear(.authorizationChanged(manager)).delivered != nil)
    let later = SubscriberID(7)
    standing.note(.authorization(.observe(later)))
    _ = standing.again(ClientState())
    #expect(standing.hear(.authorizationChanged(manager)).delivered == nil)
    #expect(standing.hear(.authorizationChanged(later)).delivered != nil, "AUTH-11: its first")
    let granted = ClientState(authorization: AuthorizationReport(status: .whenInUse))
    _ = standing.again(granted)
    #expect(standing.hear(.authorizationChanged(manager)).delivered != nil)
  }

  @Test("LIFE-5: no event that it was owed comes again; what it has taken is said again")
  func pending() {
    func event(_ number: Int64) -> Delivery {
      .pending(EventNumber(rawValue: number), .visit(Samples.stay))
    }
    var standing = standing(.acknowledge(EventNumber(rawValue: 4)))
    #expect(standing.hear(event(5)).delivered == event(5))
    #expect(standing.hear(event(6)).delivered == event(6))
    standing.note(.acknowledge(EventNumber(rawValue: 5)))
    #expect(standing.again(ClientState()) == [.acknowledge(EventNumber(rawValue: 5))])
    #expect(standing.hear(event(5)).delivered == nil)
    #expect(standing.hear(event(6)).delivered == nil)
    #expect(standing.hear(event(7)).delivered == event(7))
    // A daemon that knows no numbers tells everything once.
    #expect(standing.hear(event(0)).delivered == event(0))
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
    #expect(standing.hear(denied).delivered == denied)
    _ = standing.again(ClientState())
    #expect(standing.hear(denied).delivered == nil)
    #expect(standing.hear(none).delivered == none)
    #expect(
      standing.loops(endedBy: .session(session, .invalidate)) == [.diagnostics(stream, nil)])
  }

  @Test("MON-9: is what a monitor was asked and has not carried out")
  func monitorRequests() {
    let add = MonitorRequest.add(identifier: "a", place, assuming: .unknown)
    let remove = MonitorRequest.remove(identifier: "b")
    var standing = standing(
      .monitor(monitor, .open(name: "m")), .monitor(monitor, add), .monitor(monitor, remove))
    _ = standing.hear(.monitor(monitor, .records(after: 1, [])))
    _ = standing.hear(.monitor(monitor, .records(after: 2, [])))
    #expect(
      standing.again(ClientState())
        == [.monitor(monitor, .open(name: "m")), .monitor(monitor, remove)])
    // The app counts what it has asked itself, over both connections.
    #expect(
      standing.hear(.monitor(monitor, .records(after: 1, []))).delivered
        == .monitor(monitor, .records(after: 2, [])))
    #expect(
      standing.hear(.monitor(monitor, .records(after: 2, []))).delivered
        == .monitor(monitor, .records(after: 3, [])))
  }

  @Test("MON-23: an event that was handled does not come again, the next one does")
  func handledEvents() {
    let first = ConditionEvent(identifier: "a", state: .satisfied, date: UnixTime(seconds: 1))
    let second = ConditionEvent(identifier: "a", state: .unsatisfied, date: UnixTime(seconds: 2))
    var standing = standing(.monitor(monitor, .open(name: "m")), .monitor(monitor, .next))
    _ = standing.hear(.monitor(monitor, .records(after: 1, [])))
    _ = standing.hear(.monitor(monitor, .records(after: 2, [])))
    #expect(standing.hear(.monitor(monitor, .event(first))).delivered != nil)
    // Asking for the next one says that the first is handled; the daemon dies before it hears.
    standing.note(.monitor(monitor, .next))
    #expect(
      standing.again(ClientState())
        == [.monitor(monitor, .open(name: "m")), .monitor(monitor, .next)])
    let (delivered, asked) = standing.hear(.monitor(monitor, .event(first)))
    #expect(delivered == nil && asked == [.monitor(monitor, .next)])
    #expect(
      standing.hear(.monitor(monitor, .event(second))).delivered
        == .monitor(monitor, .event(second)))
  }

  @Test("MON-24: an event in hand when the loop was left comes again")
  func leftLoop() {
    let event = ConditionEvent(identifier: "a", state: .satisfied, date: UnixTime(seconds: 1))
    var standing = standing(.monitor(monitor, .open(name: "m")), .monitor(monitor, .next))
    _ = standing.hear(.monitor(monitor, .event(event)))
    standing.note(.monitor(monitor, .leave))
    _ = standing.again(ClientState())
    standing.note(.monitor(monitor, .next))
    #expect(standing.hear(.monitor(monitor, .event(event))).delivered != nil)
  }
}
