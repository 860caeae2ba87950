/// Identifies one process of an app while it runs.
///
/// An engine assigns numbers up to ``greatest``, and reuses one once its client is gone.
package struct ClientID: Hashable, Comparable, Sendable {
  /// The greatest number of a client: with 32 bits of a subscriber it fits into an `Int`.
  package static let greatest = UInt64(Int32.max)

  package var rawValue: UInt64

  package init(_ rawValue: UInt64) {
    self.rawValue = rawValue
  }

  package static func < (left: ClientID, right: ClientID) -> Bool { left.rawValue < right.rawValue }
}

/// Identifies one subscriber of a client: a manager, a loop, a monitor, or a session.
///
/// Chosen by the client, and never used twice by it. Has 32 bits, so that an engine can combine it
/// with the client's number, and no client can name a subscriber of another.
package struct SubscriberID: Hashable, Comparable, Sendable {
  package var rawValue: UInt32

  package init(_ rawValue: UInt32) {
    self.rawValue = rawValue
  }

  package static func < (left: SubscriberID, right: SubscriberID) -> Bool {
    left.rawValue < right.rawValue
  }
}

/// Describes a process that connects; in a daemon, by what the kernel reports of it.
package struct ClientDescription: Hashable, Sendable {
  package var app: AppIdentity
  package var manifest: Manifest
  package var life: AppLife
  /// Whether the process began with its engine, so that nothing lasts from an earlier use (AUTH-28).
  package var isNew = false
  /// The process identifier, if the kernel reports it.
  package var process: Int32?
  /// The program it runs, if the server has verified it.
  package var program: VerifiedProgram?

  package init(app: AppIdentity, manifest: Manifest, life: AppLife = .foreground) {
    self.app = app
    self.manifest = manifest
    self.life = life
  }
}

/// The state that a client can read at once, without a request (AVAIL-2).
package struct ClientState: Hashable, Sendable {
  package var authorization: AuthorizationReport
  package var servicesEnabled: Bool
  /// The last location the system has for this app; `nil` without authorization (STD-9, STD-10).
  package var lastFix: Fix?

  /// The regions that the app monitors (REG-10).
  package var regions: [RegionDescription] = []

  /// The equipment of this computer.
  package var equipment = Equipment()

  /// Whether a request of the app for authorization waits for the person's answer; an ignored one
  /// does not (AUTH-20).
  package var isAsking = false

  package init(
    authorization: AuthorizationReport = AuthorizationReport(status: .notDetermined),
    servicesEnabled: Bool = true, lastFix: Fix? = nil
  ) {
    self.authorization = authorization
    self.servicesEnabled = servicesEnabled
    self.lastFix = lastFix
  }
}

/// A request of a client. Requests are carried out in the order in which they were sent.
package enum Request: Hashable, Sendable {
  case authorization(AuthorizationRequest)
  case updates(SubscriberID, UpdatesRequest)
  case live(SubscriberID, LiveRequest)
  /// Start or stop significant changes of a manager (SLC-7).
  case significantChanges(SubscriberID, on: Bool)
  /// Start or stop visits, for the whole app (VISIT-1); the subscriber receives why there are none.
  case visits(on: Bool, by: SubscriberID? = nil)
  /// The app acknowledges every pending event up to this one.
  case acknowledge(EventNumber)
  case region(SubscriberID, RegionRequest)
  case monitor(SubscriberID, MonitorRequest)
  case heading(SubscriberID, HeadingRequest)
  case ranging(SubscriberID, RangingRequest)
  case advertising(SubscriberID, AdvertisingRequest)
  case session(SubscriberID, SessionRequest)
  /// The lifecycle state of the process, as reported by the framework of the app (MODEL-2).
  case life(AppLife)
  /// The subscriber is gone, with all its requests (MODEL-6).
  case end(SubscriberID)
}

extension Request {
  /// Whether the request begins or ends something that outlasts the process, which must be lost by
  /// no process that ends at once (LIFE-12).
  package var outlastsProcess: Bool {
    switch self {
    case .monitor(_, .add), .monitor(_, .remove), .region(_, .start), .region(_, .stop),
      .significantChanges, .visits:
      true
    default: false
    }
  }
}

/// A request that concerns authorization.
package enum AuthorizationRequest: Hashable, Sendable {
  /// A manager came to life and waits for its first callback (AUTH-11).
  case observe(SubscriberID)
  /// `requestWhenInUseAuthorization` or `requestAlwaysAuthorization`.
  case request(AuthorizationGoal, by: SubscriberID)
  /// Temporary full accuracy; the subscriber receives the result.
  case temporaryFullAccuracy(purposeKey: String, ticket: SubscriberID)
}

/// A delivery to a client. Deliveries come in the order of their causes.
package indirect enum Delivery: Hashable, Sendable {
  /// The state that can be read at once has changed.
  case state(ClientState)
  /// The authorization callback is due, to one manager or to all (AUTH-11, AUTH-12); the state was
  /// delivered before.
  case authorizationChanged(SubscriberID?)
  /// The result of a request for full accuracy; `nil` for no error (AUTH-47 to AUTH-51).
  case temporaryFullAccuracy(SubscriberID, AccuracyRefusal?)
  case updates(SubscriberID, UpdatesDelivery)
  case live(SubscriberID, LiveUpdate)
  /// For every manager of the app (REG-30, VISIT-1), and again for its next process until it is
  /// acknowledged.
  case pending(EventNumber, PendingEvent)
  /// For every manager, or for the one with the request; never an entry or an exit.
  case region(SubscriberID?, RegionDescription, RegionEvent)
  /// All regions that the app monitors now (REG-10).
  case regions([RegionDescription])
  case monitor(SubscriberID, MonitorDelivery)
  case heading(SubscriberID, HeadingDelivery)
  case ranging(SubscriberID, RangingDelivery)
  case advertising(SubscriberID, BeaconAdvertising)
  /// One element of the diagnostics of a session, or their end (SESS-16, SESS-19).
  case diagnostics(SubscriberID, Diagnostics?)
}

extension Delivery {
  /// The receiver; `nil` for the app as a whole.
  package var subscriber: SubscriberID? {
    switch self {
    case .state, .pending, .regions: nil
    case .authorizationChanged(let subscriber), .region(let subscriber, _, _): subscriber
    case .temporaryFullAccuracy(let subscriber, _), .updates(let subscriber, _),
      .live(let subscriber, _), .monitor(let subscriber, _), .heading(let subscriber, _),
      .ranging(let subscriber, _), .advertising(let subscriber, _),
      .diagnostics(let subscriber, _):
      subscriber
    }
  }

  /// The last position in it that the client can read from now on.
  package var lastFix: Fix? {
    switch self {
    case .updates(_, .fixes(let fixes)): fixes.last
    case .live(_, let update): update.fix
    default: nil
    }
  }
}

/// How a client reaches an engine, wherever the engine runs.
///
/// Deliveries come in order, one at a time, on the service's own thread; the receiver hands them on
/// and returns.
package protocol EngineLink: AnyObject, Sendable {
  /// Connects a process; the state it returns is what the process may read from now on.
  func connect(
    _ client: ClientDescription, receiving deliver: @escaping @Sendable (Delivery) -> Void
  ) -> (ClientID, ClientState)

  /// Posts a request; returns at once, or, if the request outlasts the process, when the process may
  /// end without losing it.
  func send(_ request: Request, from client: ClientID)

  func disconnect(_ client: ClientID)

  /// The time of the engine's world.
  var now: Moment { get }
}
