import LocationEngine
import LocationHost
import LocationModel
import LocationProviders
import LocationService
import Synchronization
import TestSupport
import Testing

/// A real host, and a watcher of the desktop on a private bus.
@Suite(
  "Who uses the location, on the desktop", .serialized,
  .enabled(if: MockMachine.isThere, "needs dbus-daemon, and python-dbusmock in .build/venv"),
  .timeLimit(.minutes(1)))
struct IndicatorTests {
  private static let app = AppIdentity("org.example.maps")
  private static let manager = SubscriberID(1)
  private static let shown = "org.example.maps: /usr/bin/<maps>, user 1001"
  private static let stop = "Stop org.example.maps for now"

  private let machine: MockMachine

  init() throws {
    machine = try MockMachine()
  }

  /// An app that may know where it is, and what the host notes of it.
  private struct App {
    let host: LocationHost
    let client: ClientID
    let deliveries: AsyncStream<Delivery>
    let notes: AsyncStream<String>

    func send(_ request: Request) { host.send(request, from: client) }

    func first<Value>(_ pick: (Delivery) -> Value?) async -> Value? {
      for await delivery in deliveries {
        if let value = pick(delivery) { return value }
      }
      return nil
    }

    /// The next note that no desktop shows the use.
    func unseen() async -> String? {
      for await note in notes where note.contains("no desktop shows it") { return note }
      return nil
    }
  }

  private func app(bus: String?) throws -> App {
    let (notes, noting) = AsyncStream.makeStream(of: String.self)
    let host = LocationHost(
      sources: [try Source(url: "fixed:48.5,11.5,5")], indicator: IndicatorAgent(bus: bus),
      journal: { if let text = $0.message { noting.yield(text) } })
    let (deliveries, deliver) = AsyncStream.makeStream(of: Delivery.self)
    var description = ClientDescription(
      app: Self.app,
      manifest: Manifest([
        Manifest.Key.whenInUse: .string("To test."),
        Manifest.Key.backgroundModes: .array([.string("location")]),
      ]))
    description.program = VerifiedProgram(path: "/usr/bin/<maps>", user: 1001, isProtected: true)
    let (client, _) = host.connect(description) { deliver.yield($0) }
    host.pass(.setting(.authorization(Self.app, .whileUsing)))
    var options = UpdateOptions(accuracy: .best, pausesAutomatically: false)
    options.allowsBackground = true
    host.send(.updates(Self.manager, .start(options)), from: client)
    return App(host: host, client: client, deliveries: deliveries, notes: notes)
  }

  @Test("BGA-15, BGA-16: the app stands in the menu, and its entry stops it until it comes back")
  func stop() async throws {
    try machine.perform("watcher start")
    let app = try app(bus: machine.address)
    #expect(try machine.perform("await item 1") == "ok")
    #expect(
      try machine.perform("menu")
        == "\(Self.shown) | \(Self.stop) | Switch location services off")
    app.send(.life(.background))
    #expect(try machine.perform("await menu \(Self.shown) (in the background)") == "ok")
    #expect(try machine.perform("click \(Self.stop)") == "ok")
    #expect(try machine.perform("await no menu") == "ok")
    app.send(.life(.foreground))
    #expect(try machine.perform("await menu \(Self.shown)") == "ok")
  }

  @Test("AUTH-5: the last entry of the menu switches location services off")
  func servicesOff() async throws {
    try machine.perform("watcher start")
    let app = try app(bus: machine.address)
    try machine.perform("await item 1")
    #expect(try machine.perform("click Switch location services off") == "ok")
    let isOff = await app.first { delivery -> Bool? in
      guard case .state(let state) = delivery, !state.servicesEnabled else { return nil }
      return true
    }
    #expect(isOff == true)
    #expect(try machine.perform("await no menu") == "ok")
  }

  @Test("a watcher that goes and comes back shows the app again")
  func watcher() async throws {
    try machine.perform("watcher start")
    let app = try app(bus: machine.address)
    try machine.perform("await item 1")
    app.send(.life(.background))
    try machine.perform("watcher stop")
    #expect(await app.unseen()?.contains("org.kde.StatusNotifierWatcher has gone") == true)
    try machine.perform("watcher start")
    #expect(try machine.perform("await item 1") == "ok")
    #expect(try machine.perform("menu").contains(Self.stop))
  }

  @Test("without a desktop the journal says who uses the location in the background")
  func journal() async throws {
    let onBus = try app(bus: machine.address)
    onBus.send(.life(.background))
    let withoutWatcher = await onBus.unseen()
    #expect(withoutWatcher?.hasPrefix("org.example.maps uses the location") == true)
    #expect(withoutWatcher?.contains("StatusNotifierWatcher does not answer") == true)
    let nowhere = try app(bus: nil)
    nowhere.send(.life(.background))
    #expect(await nowhere.unseen()?.contains("there is no bus of a session") == true)
  }

  @Test("border 7: nobody but the desktop reads the menu or presses an entry")
  func forgery() async throws {
    try machine.perform("watcher start")
    let app = try app(bus: machine.address)
    try machine.perform("await item 1")
    let denied = "org.freedesktop.DBus.Error.AccessDenied"
    #expect(try machine.perform("forge item") == denied)
    #expect(try machine.perform("forge menu") == denied)
    // The entries that switch services off, and that stop the first app.
    #expect(try machine.perform("forge click 2") == denied)
    #expect(try machine.perform("forge click 13") == denied)
    try machine.perform("forge owner org.kde.StatusNotifierWatcher")
    #expect(try machine.perform("forge click 2") == denied)
    #expect(try machine.perform("menu").contains(Self.stop))
    withExtendedLifetime(app) {}
  }
}
