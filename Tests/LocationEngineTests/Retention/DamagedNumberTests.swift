import LocationModel
import Testing

@testable import LocationEngine

@Suite("Numbers that a damaged store gives")
struct DamagedNumberTests {
  private let now = Moment(
    uptime: .start + .seconds(60), unixTime: UnixTime(seconds: 1_767_225_600))
  private let app = AppIdentity("an.app")

  @Test("the next number of a log or a queue follows the greatest one, and nothing traps")
  func greatest() {
    var log = EventLog(keeping: .seconds(86_400))
    let number = StateKey(domain: "event-number", owner: "")
    let stored = StateEntry(key: number, value: Array("\(Int.max)".utf8))
    _ = log.handle(.stored([stored]), at: now)
    let event = DeliveredEvent(.region, "home", "entered", since: now.unixTime)
    _ = log.handle(.delivered(app, event), at: now)
    #expect(log.records.count == 1)

    var queue = PendingQueue(events: [], last: EventNumber(rawValue: .max))
    let region = RegionDescription(
      identifier: "home", target: .unsupported, notices: RegionNotices())
    queue.add(.region(region, .entered(nil)), at: now)
    #expect(queue.events(after: .none).count == 1)
  }

  @Test("fewer sessions than none are none")
  func negative() {
    var activity = BackgroundActivity(remnants: .min)
    #expect(activity.open(1) && activity.record == 0)
  }
}
