import Foundation
import TestSupport
import LocationEngine
import LocationHost
import LocationModel
import LocationProviders
import Testing

@Suite("A host that shares its state with other processes", .serialized)
struct BellTests {
  private static let app = HostClient.app
  private let folder: TemporaryFolder
  private var state: StateFolder { StateFolder(path: folder.path) }

  init() throws {
    folder = try TemporaryFolder()
  }

  /// A host on the shared state, and one app on it.
  private func connect() throws -> (LocationHost, Events<Delivery>, ClientState) {
    let host = LocationHost(
      sources: [try Source(url: "fixed:1,2")],
      keeper: StateKeeper(folder: state, owner: Self.app))
    let deliveries = Events<Delivery>()
    let description = ClientDescription(app: Self.app, manifest: HostClient.manifest)
    let (id, readable) = host.connect(description) { deliveries.add($0) }
    host.send(.updates(SubscriberID(1), .start(UpdateOptions())), from: id)
    return (host, deliveries, readable)
  }

  private func grant(_ level: String) async throws {
    let program = try RunningProgram(
      BuiltProgram.path("HostProgram"), ["grant", level, Self.app.name, folder.path])
    defer { program.end() }
    _ = try await program.lines.next { $0 == "granted" }
  }

  @Test("receives what another process has decided, both times")
  func answered() async throws {
    let (host, deliveries, readable) = try connect()
    #expect(readable.authorization.status == .notDetermined)
    try await grant("whenInUse")
    let state = try await deliveries.next { delivery -> ClientState? in
      guard case .state(let state) = delivery, state.authorization.status == .whenInUse
      else { return nil }
      return state
    }
    #expect(state.authorization.accuracy == .full)
    _ = try await deliveries.next { if case .updates(_, .fixes) = $0 { true } else { nil } }
    try await grant("denied")
    _ = try await deliveries.next { $0 == .updates(SubscriberID(1), .failed(.denied)) }
    withExtendedLifetime(host) {}
  }

  @Test("finds what was decided while it did not run")
  func decidedBefore() async throws {
    try await grant("whenInUse")
    let (host, deliveries, readable) = try connect()
    #expect(readable.authorization.status == .whenInUse)
    _ = try await deliveries.next { if case .updates(_, .fixes) = $0 { true } else { nil } }
    withExtendedLifetime(host) {}
  }

  @Test("receives another host's decision in its own process, too")
  func twoHosts() async throws {
    let (one, _, _) = try connect()
    let (other, deliveries, _) = try connect()
    one.pass(.setting(.authorization(Self.app, .whileUsing)))
    // What a host has decided itself is stored before anyone is notified.
    _ = one.sourceReports()
    try state.ringBell()
    _ = try await deliveries.next { delivery -> Bool? in
      guard case .state(let state) = delivery else { return nil }
      return state.authorization.status == .whenInUse ? true : nil
    }
    withExtendedLifetime(other) {}
  }
}
