import LocationService
import LocationEngine
package import LocationHost
package import LocationModel
package import LocationProviders

/// One app on a host of its own: allowed to know where it is, and asking all the time.
package final class HostClient: Sendable {
  package let host: LocationHost
  package let deliveries = Events<Delivery>()
  private let id: ClientID

  package static let app = AppIdentity("net.meridian.test")
  package static let manifest = Manifest([
    Manifest.Key.identifier: .string("net.meridian.test"),
    Manifest.Key.whenInUse: .string("to test"),
  ])
  private static let subscriber = SubscriberID(1)

  package convenience init(_ urls: String...) throws {
    self.init(sources: try urls.map { try Source(url: $0) })
  }

  package init(sources: [Source]) {
    let deliveries = deliveries
    host = LocationHost(sources: sources)
    (id, _) = host.connect(ClientDescription(app: Self.app, manifest: Self.manifest)) {
      deliveries.add($0)
    }
    host.pass(.setting(.authorization(Self.app, .whileUsing)))
    host.send(.updates(Self.subscriber, .start(UpdateOptions())), from: id)
  }

  deinit {
    host.disconnect(id)
  }

  /// The next fix.
  package func fix(where matches: @escaping @Sendable (Fix) -> Bool = { _ in true }) async throws
    -> Fix
  {
    try await deliveries.next { delivery in
      guard case .updates(_, .fixes(let fixes)) = delivery else { return nil }
      return fixes.first(where: matches)
    }
  }

  /// Waits until the app learns that no position can be had; returns the status of each source then.
  package func outage(_ failure: Failure = .positionUnknown) async throws -> [ProviderStatus] {
    _ = try await deliveries.next { $0 == .updates(Self.subscriber, .failed(failure)) }
    return host.sourceReports().map(\.status)
  }
}
