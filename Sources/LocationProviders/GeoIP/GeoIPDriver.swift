import LocationModel

/// Gives the region in which a database that the owner names has the public address of this computer.
///
/// Nothing is asked of a network: the addresses are those that the kernel gives the networks of this computer, or one
/// that the owner names. They are looked up at the start, when they change, and each hour, as the file may be
/// another one by then.
struct GeoIPDriver: SourceDriver {
  private let path: String
  /// The address that the owner names; `nil` for those of this computer.
  private let named: [UInt8]?
  private var networks = PublicAddresses()
  private var status = ProviderStatus.idle
  /// The addresses that were looked up last; `nil` before they are known.
  private var addresses: [[UInt8]]?
  /// Whether an answer is awaited.
  private var isLookingUp = false
  /// When the same addresses are looked up again.
  private var again: Instant?
  /// When the addresses are listed again, which could not be, or whose changes were lost.
  private var reopening: Instant?
  private var retry = Retry()
  private var impossible = 0

  /// - Parameters:
  ///   - path: of the database.
  ///   - address: the public address of this computer, where the owner knows it.
  init(path: String, address: [UInt8]?) {
    self.path = path
    named = address
  }

  var rejections: [SourceRejection] {
    let counts = [
      ("places in the database that can be none", impossible),
      ("addresses beyond those that are looked up", networks.surplus),
    ]
    return counts.filter { $0.1 > 0 }.map { SourceRejection(reason: $0.0, count: $0.1) }
  }

  var nextDeadline: Instant? { earliest(again, reopening) }

  mutating func handle(_ input: SourceInput, at now: Moment) -> [SourceOutput] {
    switch input {
    case .stored:
      guard status == .idle else { return [] }
      return status.change(to: .searching) + begin(at: now)
    case .kernel(.opened): return [.request(networks.list())]
    case .kernel(.bytes(let bytes)):
      switch networks.receive(bytes) {
      case .nothing: return []
      case .listed:
        retry.reset()
        return settle(networks.all, at: now)
      case .failed(let reason): return [.closeKernel] + lose(reason, at: now)
      }
    case .kernel(.closed(let end)): return lose(end.reason, at: now)
    case .channel(.places(let answer)):
      guard isLookingUp else { return [] }
      isLookingUp = false
      return [.close] + take(answer, at: now)
    case .channel(.closed(let end)):
      guard isLookingUp else { return [] }
      isLookingUp = false
      return status.change(to: .unavailable(end.reason))
    case .wake: return wake(at: now)
    case .demand, .channel, .kernel, .scan: return []
    }
  }

  private mutating func begin(at now: Moment) -> [SourceOutput] {
    guard let named else { return [.open(.addresses)] }
    return settle([named], at: now)
  }

  private mutating func wake(at now: Moment) -> [SourceOutput] {
    var outputs: [SourceOutput] = []
    if isDue(reopening, now) {
      reopening = nil
      outputs += begin(at: now)
    }
    // One that waits for the file is not joined by another.
    if isDue(again, now), isLookingUp { again = now.uptime + Self.interval }
    if isDue(again, now) { outputs += lookUp(at: now) }
    return outputs
  }

  // MARK: Addresses

  private mutating func settle(_ new: [[UInt8]], at now: Moment) -> [SourceOutput] {
    guard new != addresses else { return [] }
    addresses = new
    guard new.isEmpty else { return lookUp(at: now) }
    return stop() + status.change(to: .unavailable(GeoIPLack.address.reason))
  }

  /// The addresses are not known any more, until they are listed again.
  private mutating func lose(
    _ reason: ProviderStatus.Reason, at now: Moment
  ) -> [SourceOutput] {
    addresses = nil
    reopening = retry.next(after: now.uptime)
    return stop() + status.change(to: .unavailable(reason))
  }

  // MARK: Look-ups

  private mutating func lookUp(at now: Moment) -> [SourceOutput] {
    let last = stop()
    isLookingUp = true
    again = now.uptime + Self.interval
    return last + [.open(.look(GeoIPLookUp(path: path, addresses: addresses ?? [])))]
  }

  private mutating func stop() -> [SourceOutput] {
    again = nil
    guard isLookingUp else { return [] }
    isLookingUp = false
    return [.close]
  }

  private mutating func take(_ answer: GeoIPAnswer, at now: Moment) -> [SourceOutput] {
    switch answer {
    case .foreign:
      return status.change(to: .unavailable(.malformed("\(path) is no MaxMind database")))
    case .damaged: return status.change(to: .unavailable(.malformed("\(path) is damaged")))
    case .entries(let entries):
      var best: Fix?
      for entry in entries {
        guard let fix = fix(of: entry, at: now) else { continue }
        if fix.horizontalAccuracy < best?.horizontalAccuracy ?? .infinity { best = fix }
      }
      guard let best else {
        return status.change(to: .unavailable(Self.lack(entries).reason))
      }
      return status.change(to: .working) + [.fix(best)]
    }
  }

  /// The region of an entry; `nil` where it has none, which is counted where it says it has one.
  private mutating func fix(of entry: GeoIPEntry, at now: Moment) -> Fix? {
    switch entry {
    case .unknown, .unplaced: return nil
    case .impossible:
      impossible += 1
      return nil
    case .place(let latitude, let longitude, let kilometers):
      let coordinate = Coordinate(latitude: latitude, longitude: longitude)
      let radius = (kilometers ?? Self.standardRadius) * 1000
      // Zero is what a database has that has lost its data.
      guard coordinate.isValid, (latitude, longitude) != (0, 0), Self.radii.contains(radius) else {
        impossible += 1
        return nil
      }
      return Fix(
        coordinate: coordinate, horizontalAccuracy: radius, time: now.unixTime,
        origin: Fix.Origin(method: .region))
    }
  }

  private static func lack(_ entries: [GeoIPEntry]) -> GeoIPLack {
    if entries.contains(.unplaced) { return .coordinates }
    return entries.allSatisfy { $0 == .unknown } ? .entry : .place
  }

  /// Kilometers, for a place without a radius (DB-IP has none). Chosen: in the median, addresses of mobile networks
  /// are off by 179 to 207 km, by whichever database, and those of fixed networks by less (docs/decisions/0094).
  static let standardRadius = 200.0
  /// Meters: what a database of cities can mean, up to half of the equator.
  private static let radii = 1000.0...20_038_000
  /// Between two look-ups of the same addresses. Chosen: databases are replaced weekly.
  private static let interval = Duration.seconds(3600)
}
