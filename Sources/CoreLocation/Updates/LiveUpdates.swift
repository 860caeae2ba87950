import LocationModel

extension CLLocationUpdate {
  /// The purpose of the updates.
  @nonexhaustive
  public enum LiveConfiguration: Hashable {
    /// Any purpose.
    case `default`
    /// Driving a car.
    case automotiveNavigation
    /// Moving in another vehicle.
    case otherNavigation
    /// Walking, running, cycling.
    case fitness
    /// Flying.
    case airborne

    var activity: ActivityKind {
      switch self {
      case .default: .other
      case .automotiveNavigation: .automotiveNavigation
      case .otherNavigation: .otherNavigation
      case .fitness: .fitness
      case .airborne: .airborne
      }
    }
  }

  /// Returns a sequence of updates of the device's location, from now on.
  ///
  /// Each iteration begins when its first element is awaited, and never ends by itself (LIVE-1).
  ///
  /// - Parameter configuration: The purpose of the updates.
  /// - Returns: The sequence; nothing runs before it is iterated.
  public static func liveUpdates(_ configuration: LiveConfiguration = .default) -> Updates {
    Updates(activity: configuration.activity)
  }

  /// A sequence of updates.
  public struct Updates: AsyncSequence, Sendable {
    /// An update.
    public typealias Element = CLLocationUpdate
    /// One iteration.
    public typealias AsyncIterator = Iterator

    let activity: ActivityKind

    /// Begins an iteration.
    ///
    /// - Returns: The iteration.
    public func makeAsyncIterator() -> Iterator {
      Iterator(activity: activity)
    }

    /// One iteration; location services run for it until it is released.
    public struct Iterator: AsyncIteratorProtocol {
      /// An update.
      public typealias Element = Updates.Element

      private let activity: ActivityKind
      private var subscription: LiveSubscription?

      init(activity: ActivityKind) {
        self.activity = activity
      }

      /// Waits for the next update.
      ///
      /// - Returns: The update; `nil` only when the task is canceled (LIVE-2).
      /// - Throws: Nothing; the signature is Apple's.
      public mutating func next() async throws -> Element? {
        let subscription =
          subscription ?? LiveSubscription(LiveOptions(activity: activity), of: .current)
        self.subscription = subscription
        return await subscription.next().map { CLLocationUpdate($0) }
      }
    }
  }
}

/// An iteration belongs to the task that began it.
@available(*, unavailable)
extension CLLocationUpdate.Updates.Iterator: Sendable {}
