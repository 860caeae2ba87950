import TestSupport
import LocationDaemon
import LocationService
import LocationEngine
import LocationHost
import LocationModel
import LocationProviders
import Testing

@Suite("The number of conditions per app")
struct LimitTests {
  @Test("REG-2: is twenty, unless the environment says another number or unlimited")
  func environment() {
    func limit(_ word: String?) -> Int? {
      let variables = word.map { ["CORELOCATION_CONDITIONS_PER_APP": $0] } ?? [:]
      return HostEnvironment(variables).limits(noting: { _ in }).perApp
    }
    #expect(limit(nil) == 20)
    #expect(limit("500") == 500)
    #expect(limit("unlimited") == nil)
  }

  @Test(
    "stays at twenty for a word that is neither, and says so", arguments: ["0", "-1", "many", ""])
  func wrongWord(_ word: String) {
    var notes: [String] = []
    let environment = HostEnvironment(["CORELOCATION_CONDITIONS_PER_APP": word])
    #expect(environment.limits(noting: { notes.append($0.message ?? "") }).perApp == 20)
    #expect(notes.count == 1)
    #expect(notes.first?.contains("CORELOCATION_CONDITIONS_PER_APP") == true)
  }

  @Test("is set in the daemon's configuration, too")
  func configuration() {
    func read(_ text: String) -> (configuration: Configuration, faults: [Configuration.Fault]) {
      Configuration.read(text, file: "locationd.conf")
    }
    #expect(read("").configuration.conditions.perApp == 20)
    #expect(read("conditions-per-app = 50").configuration.conditions.perApp == 50)
    #expect(read("conditions-per-app = unlimited").configuration.conditions.perApp == nil)
    #expect(read("conditions-per-app = 0").faults.map(\.line) == [1])
  }

  @Test(
    "REG-2: the surplus fails, and nothing does without a limit",
    arguments: [Conditions.Limits(), Conditions.Limits(perApp: nil)])
  func host(limits: Conditions.Limits) async throws {
    let host = LocationHost(sources: [.nmeaSerial(path: "/dev/none", baud: 9600)], limits: limits)
    let received = Events<RegionEvent>()
    let (client, _) = host.connect(
      ClientDescription(app: HostClient.app, manifest: HostClient.manifest)
    ) { delivery in
      guard case .region(_, _, let event) = delivery else { return }
      received.add(event)
    }
    host.pass(.setting(.authorization(HostClient.app, .whileUsing)))
    for number in 1...25 {
      let circle = Circle(
        center: Coordinate(latitude: Double(number), longitude: 5), radius: 100)
      let region = RegionDescription(
        identifier: "\(number)", target: .circle(circle), notices: RegionNotices())
      host.send(.region(SubscriberID(1), .start(region)), from: client)
    }
    var events: [RegionEvent] = []
    while events.count < 25 { events.append(try await received.next()) }
    let started = events.count { $0 == .started }
    #expect(started == limits.perApp ?? 25)
    #expect(events.count { $0 == .failed(.limitExceeded) } == 25 - started)
  }
}
