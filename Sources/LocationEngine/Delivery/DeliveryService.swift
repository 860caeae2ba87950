import LocationModel

/// A service, as the delivery table lists it.
package enum DeliveryService: String, CaseIterable, Sendable {
  case standard = "startUpdatingLocation"
  case oneShot = "requestLocation"
  case significantChange = "Significant change"
  case visits = "Visits"
  case region = "Region (classic)"
  case beaconRegion = "Beacon region (classic)"
  case ranging = "Beacon ranging"
  case heading = "Heading"
  case liveUpdates = "liveUpdates"
  case monitor = "CLMonitor events"
  case diagnostics = "Session diagnostics"
  case geocoder = "Geocoder"

  /// How reduced accuracy affects a service.
  enum Coarseness {
    case coarsePlace
    /// No events at all (AUTH-43).
    case none
    case unaffected
  }

  var coarseness: Coarseness {
    switch self {
    case .standard, .oneShot, .significantChange, .visits, .liveUpdates: .coarsePlace
    case .region, .beaconRegion, .ranging, .monitor: .none
    case .heading, .diagnostics, .geocoder: .unaffected
    }
  }

  /// Whether it reports diagnostics, and depends on sessions (SESS-13).
  var isModern: Bool { self == .liveUpdates || self == .monitor }

  /// Whether it needs no grant at all (HEAD-10, SESS-17, GEO-13).
  var needsNoGrant: Bool { self == .heading || self == .diagnostics || self == .geocoder }

  /// Whether it ends when the person stops the app's use of the location (BGA-16): what gives
  /// positions, but not what waits for an event.
  var endsWhenStopped: Bool {
    switch self {
    case .standard, .oneShot, .significantChange, .ranging, .liveUpdates: true
    case .visits, .region, .beaconRegion, .heading, .monitor, .diagnostics, .geocoder: false
    }
  }

  /// Whether its events need a full Always outside use (AUTH-32).
  var needsAlwaysOutsideUse: Bool { !needsNoGrant }
}

/// The session that keeps a modern service active outside use.
package enum DeliverySession: Sendable {
  case none
  /// A session with the goal of Always that is effective (SESS-13).
  case always
  /// An active background activity session, or a live activity (BGA-4).
  case backgroundActivity
}

/// The second column of the table.
package enum DeliveryAuthority: String, CaseIterable, Sendable {
  case any = "any"
  case whenInUse = "WhenInUse"
  case whenInUseWithActivity = "WhenInUse + background activity session"
  case always = "Always"
  case alwaysWithSession = "Always + `.always` session"
  /// Outside use only: in use it is like ``whenInUse`` (AUTH-37).
  case provisional = "provisional Always"
  /// Denied, restricted, undecided, or off: no row.
  case none = "none"

  init(_ circumstances: DeliveryRule.Circumstances, service: DeliveryService) {
    let status = circumstances.authorization.status
    let hasActivity = service.isModern && circumstances.session == .backgroundActivity
    if service.needsNoGrant {
      self = .any
    } else if status.isGranted && hasActivity {
      // A background activity session keeps modern services active with any grant.
      self = .whenInUseWithActivity
    } else if status == .whenInUse {
      self = .whenInUse
    } else if status == .always {
      self = Self.always(circumstances, service: service)
    } else {
      self = .none
    }
  }

  private static func always(
    _ circumstances: DeliveryRule.Circumstances, service: DeliveryService
  ) -> DeliveryAuthority {
    if circumstances.authorization.isProvisional {
      return circumstances.use == .none ? .provisional : .whenInUse
    }
    return service.isModern && circumstances.session == .always ? .alwaysWithSession : .always
  }
}

/// The columns of the table: the lifecycle state of the app.
package enum DeliveryPlace: String, CaseIterable, Sendable {
  case foreground = "FG"
  /// In the background, and still in use.
  case backgroundInUse = "BG+"
  case background = "BG"
  case suspended = "SUS"
  case dead = "DEAD"
  case quit = "QUIT"

  init(life: AppLife, use: AppUse) {
    switch life {
    case .foreground: self = .foreground
    case .background: self = use == .none ? .background : .backgroundInUse
    case .suspended: self = .suspended
    case .terminated: self = .dead
    case .quit: self = .quit
    }
  }
}
