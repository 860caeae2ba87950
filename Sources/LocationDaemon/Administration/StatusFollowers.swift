package import LocationLink
package import LocationModel

/// Decides when the daemon looks at itself for those who follow its status, and what each is sent.
///
/// Nothing waits for a follower that does not read: it is compared with what it was sent last when it
/// has read that, and gets the newest alone. While nobody follows, nothing is looked at.
package struct StatusFollowers: Machine {
  package enum Input: MachineInput {
    case follow(Int, places: Bool)
    case leave(Int)
    /// Something may have changed.
    case changed
    /// What was found at a look, and the followers that have not read what they were sent.
    case seen(StatusView, places: Bool, blocked: Set<Int>)
    /// A follower has read what it was sent.
    case ready(Int)
    case wake
  }

  package enum Output: Hashable, Sendable {
    /// Look, and pass in what was seen; with apps, events, and accesses only if `all`.
    case look(places: Bool, all: Bool)
    case send(Int, StatusChange)
    /// Pass in `ready` when the follower has read what it was sent.
    case awaitReader(Int)
  }

  fileprivate struct Follower: Sendable {
    let number: Int
    let places: Bool
    var sent = StatusView()
    /// The access records that were sent, of which those that change are sent again.
    var accesses: Set<AccessRecord> = []
    var lastEvent = 0
    var isBlocked = false
  }

  /// In the order in which they came.
  private var followers: [Follower] = []
  private var lastLook: Instant?
  private var lastWhole: Instant?
  /// Whether something may have changed since the last look, and since the last whole one.
  private var isChanged = false
  private var isWholeChanged = false

  package init() {}

  package var isEmpty: Bool { followers.isEmpty }

  package var nextDeadline: Instant? {
    guard !isEmpty else { return nil }
    let soon = isChanged ? lastLook.map { $0 + Self.interval } ?? .start : nil
    let whole = isWholeChanged ? lastWhole.map { $0 + Self.wholeInterval } ?? .start : nil
    return [soon, whole].compactMap(\.self).min()
  }

  package mutating func handle(_ input: Input, at now: Moment) -> [Output] {
    switch input {
    case .follow(let number, let places):
      guard !followers.contains(where: { $0.number == number }) else { return [] }
      followers.append(Follower(number: number, places: places))
      return [.look(places: places, all: true)]
    case .leave(let number): followers.removeAll { $0.number == number }
    case .changed:
      (isChanged, isWholeChanged) = (!isEmpty, !isEmpty)
      return lookIfDue(at: now.uptime)
    case .seen(let view, let places, let blocked):
      return followers.indices.filter { followers[$0].places == places }
        .flatMap { show(view, to: $0, isBlocked: blocked.contains(followers[$0].number)) }
    case .ready(let number):
      guard let index = followers.firstIndex(where: { $0.number == number }) else { break }
      followers[index].isBlocked = false
      return [.look(places: followers[index].places, all: true)]
    case .wake: return lookIfDue(at: now.uptime)
    }
    return []
  }

  private mutating func lookIfDue(at now: Instant) -> [Output] {
    guard let due = nextDeadline, due <= now else { return [] }
    let isWhole = isWholeChanged && (lastWhole.map { $0 + Self.wholeInterval <= now } ?? true)
    (isChanged, lastLook) = (false, now)
    if isWhole { (isWholeChanged, lastWhole) = (false, now) }
    let kinds = [false, true].filter { places in followers.contains { $0.places == places } }
    return kinds.map { .look(places: $0, all: isWhole) }
  }

  private mutating func show(_ view: StatusView, to index: Int, isBlocked: Bool) -> [Output] {
    let number = followers[index].number
    guard !followers[index].isBlocked else { return [] }
    guard !isBlocked else {
      followers[index].isBlocked = true
      return [.awaitReader(number)]
    }
    let change = followers[index].take(view)
    return change == StatusChange() ? [] : [.send(number, change)]
  }

  /// Chosen: a person sees no difference between that and at once, and a sensor may report more often.
  package static let interval = Duration.milliseconds(100)
  /// Chosen: what apps may know and have received changes seldom, and is more to look at.
  package static let wholeInterval = Duration.seconds(1)
}

/// What was found at one look.
package struct StatusView: Hashable, Sendable {
  package var status: DaemonStatus?
  package var conditions: [ConditionStatus] = []
  /// `nil` where it was not looked at, as all that follow.
  package var apps: [AppStatus]?
  /// In the order of their numbers.
  package var events: [EventRecord]?
  package var access: [AccessRecord]?

  package init() {}
}

extension StatusFollowers.Follower {
  /// Takes what was seen as sent, and returns what is new in it.
  fileprivate mutating func take(_ view: StatusView) -> StatusChange {
    var change = StatusChange()
    let isFirst = sent.status == nil
    if view.status != sent.status { change.status = view.status }
    if isFirst || view.conditions != sent.conditions { change.conditions = view.conditions }
    (sent.status, sent.conditions) = (view.status, view.conditions)
    if let apps = view.apps, apps != sent.apps { (change.apps, sent.apps) = (apps, apps) }
    if let events = view.events {
      let new = events.filter { $0.number > lastEvent }.suffix(Self.mostEvents)
      lastEvent = max(lastEvent, events.last?.number ?? 0)
      if isFirst || !new.isEmpty { change.events = Array(new) }
    }
    if let access = view.access {
      let new = access.filter { !accesses.contains($0) }.suffix(Self.mostAccesses)
      accesses = Set(access)
      if isFirst || !new.isEmpty { change.access = Array(new) }
    }
    return change
  }

  /// Chosen: what a page shows.
  private static let mostEvents = 200
  private static let mostAccesses = 100
}
