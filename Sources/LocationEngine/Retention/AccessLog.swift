internal import LocationCoding
package import LocationModel

/// The service by which an app received a position.
package enum LocationService: String, Hashable, CaseIterable, Sendable {
  case updates, live, visits, conditions
  /// The last position, which an app can read at once without a request.
  case lastPosition

  /// Returns the service and count of positions in a delivery; `nil` without positions.
  package static func access(
    of delivery: Delivery
  ) -> (service: LocationService, count: Int)? {
    switch delivery {
    case .updates(_, .fixes(let fixes)): (.updates, fixes.count)
    case .live(_, let update): update.fix == nil ? nil : (.live, 1)
    case .pending(_, .visit): (.visits, 1)
    case .pending(_, .region), .region(_, _, .determined), .monitor(_, .event):
      (.conditions, 1)
    case .state(let state): state.lastFix == nil ? nil : (.lastPosition, 1)
    case .authorizationChanged, .temporaryFullAccuracy, .updates, .region, .regions, .monitor,
      .heading, .ranging, .advertising, .diagnostics:
      nil
    }
  }
}

/// The access log: when each app received a position, by what service, and how often.
///
/// Deliveries without a long pause between them are one record, stored when it begins and then once
/// a minute while it grows. The records of an app are bounded; the oldest are dropped.
package struct AccessLog: Machine {
  package enum Input: MachineInput {
    case stored([StateEntry])
    case delivered(AppIdentity, LocationService, Int)
    case wake
  }

  package typealias Output = BoundedLog.Output

  /// A period in which an app received positions.
  package struct Access: Hashable, Sendable {
    package var app: AppIdentity
    package var service: LocationService
    package var first: UnixTime
    package var last: UnixTime
    /// The number of deliveries.
    package var count: Int

    package init(
      app: AppIdentity, service: LocationService, first: UnixTime, last: UnixTime, count: Int
    ) {
      self.app = app
      self.service = service
      self.first = first
      self.last = last
      self.count = count
    }
  }

  private struct Page {
    var access: Access
    /// When the app last received a position, in steady time.
    var last: UnixTime
    /// When the app last received a position; `nil` for a record of an earlier run.
    var deliveredAt: Instant?
    var isStored = false

    mutating func extend(by count: Int, at now: Moment, _ steady: SteadyTime) {
      access.last = now.unixTime
      last = steady.date(at: now)
      access.count += count
      deliveredAt = now.uptime
      isStored = false
    }
  }

  private struct Subject: Hashable {
    var app: AppIdentity
    var service: LocationService
  }

  private struct Stored: JSONStructure {
    var last: UnixTime
    var count: Int
    /// In steady time, if that differs.
    var steady: UnixTime?

    static let fields = JSONFields(
      Self(last: .blank, count: 0),
      .get("last", \.last), .get("count", \.count), .find("steady", \.steady))
  }

  private let keep: Duration
  private var steady = SteadyTime()
  /// In the order in which they began.
  private var pages: [AppIdentity: [Page]] = [:]
  private var storeDue: Instant?
  private var expiryDue: Instant?

  /// Creates a log; records are kept up to this age.
  package init(keeping keep: Duration) {
    self.keep = keep
  }

  package var nextDeadline: Instant? { earliest(storeDue, expiryDue) }

  /// All records, in the order of time.
  package var accesses: [Access] {
    pages.values.flatMap { $0.map(\.access) }
      .sorted { ($0.first, $0.app, $0.service.rawValue) < ($1.first, $1.app, $1.service.rawValue) }
  }

  package mutating func handle(_ input: Input, at now: Moment) -> [Output] {
    switch input {
    case .stored(let entries):
      steady = SteadyTime(restoring: entries, at: now)
      return restore(entries, at: now) + expire(at: now)
    case .delivered(let app, let service, let count):
      return note(Subject(app: app, service: service), count, at: now)
    case .wake:
      var outputs: [Output] = []
      if isDue(storeDue, now) { outputs += store() }
      if isDue(expiryDue, now) { outputs += expire(at: now) }
      return outputs
    }
  }

  private mutating func note(_ subject: Subject, _ count: Int, at now: Moment) -> [Output] {
    let index = pages[subject.app]?.lastIndex { $0.access.service == subject.service }
    if let index, let last = pages[subject.app]?[index].deliveredAt, now.uptime - last < Self.pause
    {
      extend(subject.app, index, count, at: now)
      return []
    }
    let access = Access(
      app: subject.app, service: subject.service, first: now.unixTime, last: now.unixTime,
      count: count)
    pages[subject.app, default: []].append(
      Page(
        access: access, last: steady.date(at: now), deliveredAt: now.uptime, isStored: true))
    if expiryDue == nil { expiryDue = now.uptime + keep }
    return [Self.set(access, steady.date(at: now))] + trim(subject.app)
  }

  private mutating func extend(
    _ app: AppIdentity, _ index: Int, _ count: Int, at now: Moment
  ) {
    pages[app]?[index].extend(by: count, at: now, steady)
    if storeDue == nil { storeDue = now.uptime + Self.timeout }
  }

  private mutating func trim(_ app: AppIdentity) -> [Output] {
    guard let all = pages[app], all.count > Self.most else { return [] }
    pages[app] = Array(all.suffix(Self.most))
    return all.dropLast(Self.most).map { .persist(.remove(Self.key(of: $0.access))) }
  }

  /// Stores the records that have grown, in the order of the apps.
  private mutating func store() -> [Output] {
    storeDue = nil
    var outputs: [Output] = []
    for app in pages.keys.sorted() {
      for index in pages[app, default: []].indices where pages[app]?[index].isStored == false {
        pages[app]?[index].isStored = true
        if let page = pages[app]?[index] { outputs.append(Self.set(page.access, page.last)) }
      }
    }
    return outputs
  }

  private mutating func expire(at now: Moment) -> [Output] {
    var outputs: [Output] = []
    var oldest: UnixTime?
    let today = steady.date(at: now)
    for app in pages.keys.sorted() {
      let (old, kept) = pages[app, default: []].reduce(into: ([Page](), [Page]())) {
        if today - $1.last >= keep { $0.0.append($1) } else { $0.1.append($1) }
      }
      outputs += old.map { .persist(.remove(Self.key(of: $0.access))) }
      pages[app] = kept.isEmpty ? nil : kept
      oldest = [oldest, kept.map(\.last).min()].compactMap(\.self).min()
    }
    expiryDue = oldest.map { now.uptime + (keep - (today - $0)) }
    return outputs
  }

  // MARK: Storing

  /// Restores records. Dates after now count as now, so that no record is kept forever.
  private mutating func restore(_ entries: [StateEntry], at now: Moment) -> [Output] {
    pages = [:]
    let today = steady.date(at: now)
    var outputs: [Output] = []
    for entry in entries where entry.key.domain == Self.domain {
      guard let (access, last) = Self.access(entry) else { continue }
      if last > today { outputs.append(Self.set(access, today)) }
      pages[access.app, default: []].append(
        Page(access: access, last: min(last, today), isStored: true))
    }
    for app in pages.keys {
      pages[app]?.sort { ($0.last, $0.access.first) < ($1.last, $1.access.first) }
    }
    return outputs
  }

  private static func key(of access: Access) -> StateKey {
    StateKey(
      domain: domain, owner: access.app.name,
      name: "\(access.first.nanoseconds) \(access.service.rawValue)")
  }

  private static func set(_ access: Access, _ steady: UnixTime) -> Output {
    let stored = Stored(
      last: access.last, count: access.count,
      steady: SteadyTime.stored(steady, beside: access.last))
    return .persist(.set(key(of: access), stored.stored))
  }

  private static func access(_ entry: StateEntry) -> (access: Access, last: UnixTime)? {
    let words = entry.key.name.split(separator: " ")
    guard words.count == 2, let first = Int64(words[0]),
      let service = LocationService(rawValue: String(words[1])),
      let stored = Stored(stored: entry.value)
    else { return nil }
    let access = Access(
      app: AppIdentity(entry.key.owner), service: service, first: UnixTime(nanoseconds: first),
      last: stored.last, count: stored.count)
    return (access, stored.steady ?? stored.last)
  }

  private static let domain = "access"
  /// A longer pause begins a new record. Chosen.
  package static let pause = Duration.seconds(600)
  /// How long a record grows before it is stored again. Chosen: the loss that a crash may cause.
  package static let timeout = Duration.seconds(60)
  /// Records of one app. Chosen: weeks of ordinary use.
  package static let most = 200
}
