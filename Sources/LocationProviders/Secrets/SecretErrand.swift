package import LocationModel

/// One errand with the Secret Service of a person (`org.freedesktop.secrets`): whether it can keep a
/// secret, or to find, store, or remove one (docs/decisions/0119).
///
/// No person is ever asked: where the service wants to show a window, the errand ends with
/// ``SecretOutcome/locked``. Every errand ends within its time.
package struct SecretErrand: Machine {
  package enum Input: MachineInput {
    case begin
    case bus(BusEvent)
    case wake
  }

  package enum Output: Hashable, Sendable {
    case bus(BusAction)
    case done(SecretOutcome)
  }

  /// What is to be done.
  package enum Purpose: Hashable, Sendable {
    /// To find out whether a secret can be stored now.
    case look
    case find(SecretItem)
    case store(SecretItem, [UInt8])
    case remove(SecretItem)
  }

  /// What was asked last.
  private enum Step: Hashable, Sendable {
    case none
    case namingDefault
    case namingTemporary(collection: String)
    case looking(collection: String)
    case unlocking(String, collection: Bool)
    case opening(String)
    case creating(session: String)
    case reading(session: String)
    case searching
    case listing
    case counting([String])
    case deleting([String])
  }

  private let purpose: Purpose
  private let timeout: Duration
  private var step = Step.none
  private var deadline: Instant?
  /// The number of the last call; replies to earlier ones change nothing.
  private var last = 0
  private var isDone = false

  /// Creates an errand that has ended after `timeout`, whatever the service does.
  package init(_ purpose: Purpose, within timeout: Duration) {
    (self.purpose, self.timeout) = (purpose, timeout)
  }

  package var nextDeadline: Instant? { isDone ? nil : deadline }

  package mutating func handle(_ input: Input, at now: Moment) -> [Output] {
    guard !isDone else { return [] }
    switch input {
    case .begin:
      deadline = now.uptime + timeout
      return begin()
    case .bus(.reply(let number, let reply)): return number == last ? take(reply) : []
    case .bus(.disconnected): return end(.failed("the bus closed the connection"))
    case .bus(.connected), .bus(.signal), .bus(.called), .bus(.refused): return []
    case .wake:
      guard isDue(deadline, now) else { return [] }
      return end(.failed("it did not answer within \(timeout.wholeNanoseconds / 1_000_000) ms"))
    }
  }

  private mutating func begin() -> [Output] {
    switch purpose {
    case .look, .store: call(.alias("default"), .namingDefault)
    case .find(let item), .remove(let item): call(.search(item), .searching)
    }
  }

  private mutating func call(_ call: BusCall, _ next: Step) -> [Output] {
    step = next
    last += 1
    return [.bus(.call(last, call))]
  }

  private mutating func end(_ outcome: SecretOutcome) -> [Output] {
    isDone = true
    return [.done(outcome)]
  }

  // MARK: Replies

  private mutating func take(_ reply: BusReply) -> [Output] {
    guard case .values(let values) = reply else {
      guard case .error(let name) = reply else { return [] }
      return take(error: name)
    }
    return switch step {
    case .none: []
    case .namingDefault, .namingTemporary, .looking, .counting: take(state: values)
    case .unlocking(let object, let isCollection):
      unlocked(values, object, isCollection: isCollection)
    case .opening(let object): opened(values, object)
    case .creating(let session): created(values, session)
    case .reading(let session): read(values, session)
    case .searching: searched(values)
    case .listing: count(values.first?.paths ?? [])
    case .deleting(let rest): deleted(values, rest)
    }
  }

  private mutating func take(error name: String) -> [Output] {
    switch name {
    case _ where Self.absences.contains(name): end(.absent)
    case "org.freedesktop.Secret.Error.IsLocked": end(.locked)
    case "org.freedesktop.DBus.Error.NoReply": end(.failed("it has ended, or gives no answer"))
    default: end(.failed("it answered \(name)"))
    }
  }

  /// Takes what is asked about collections before anything is done.
  private mutating func take(state values: [BusValue]) -> [Output] {
    switch step {
    case .namingDefault:
      guard let path = values.first?.text, path != Self.none else {
        return end(.failed("it has no collection for new secrets"))
      }
      return call(.alias("session"), .namingTemporary(collection: path))
    case .namingTemporary(let collection):
      guard values.first?.text != collection else {
        return end(.failed("what it stores is gone when the session ends"))
      }
      return call(.isLocked(collection), .looking(collection: collection))
    case .looking(let collection):
      guard let isLocked = values.first?.boolean else { return inconsistent() }
      guard isLocked else { return enter(collection) }
      guard mayStore else { return end(.locked) }
      return call(.unlock(collection), .unlocking(collection, collection: true))
    case .counting(let rest):
      guard let isLocked = values.first?.boolean else { return inconsistent() }
      return isLocked ? end(.locked) : count(rest)
    case .none, .unlocking, .opening, .creating, .reading, .searching, .listing, .deleting:
      return []
    }
  }

  /// Whether the purpose is about secrets that come.
  private var mayStore: Bool {
    switch purpose {
    case .look, .store: true
    case .find, .remove: false
    }
  }

  /// Goes on in a collection that is open.
  private mutating func enter(_ collection: String) -> [Output] {
    switch purpose {
    case .look: end(.ready)
    case .store: call(.openSession, .opening(collection))
    // No collection is locked that could hide it.
    case .find, .remove: end(.missing)
    }
  }

  private mutating func unlocked(
    _ values: [BusValue], _ object: String, isCollection: Bool
  ) -> [Output] {
    guard values.count == 2, values[0].paths?.contains(object) == true,
      values[1].text == Self.none
    else { return end(.locked) }
    return isCollection ? enter(object) : open(object)
  }

  /// Goes on with an item that is open.
  private mutating func open(_ item: String) -> [Output] {
    if case .remove = purpose { return call(.delete(item), .deleting([])) }
    return call(.openSession, .opening(item))
  }

  private mutating func opened(_ values: [BusValue], _ object: String) -> [Output] {
    guard values.count == 2, let session = values[1].text else { return inconsistent() }
    if case .store(let item, let secret) = purpose {
      return call(
        .create(item, secret, in: object, over: session), .creating(session: session))
    }
    return call(.secret(of: object, over: session), .reading(session: session))
  }

  private mutating func created(_ values: [BusValue], _ session: String) -> [Output] {
    guard values.count == 2, let item = values[0].text, let prompt = values[1].text else {
      return inconsistent()
    }
    guard prompt == Self.none, item != Self.none else { return end(.locked) }
    // Only what can be read again counts as stored.
    return call(.secret(of: item, over: session), .reading(session: session))
  }

  private mutating func read(_ values: [BusValue], _ session: String) -> [Output] {
    guard case .structure(let parts)? = values.first, parts.count == 4,
      parts[0].text == session, let secret = parts[2].bytes
    else { return inconsistent() }
    guard secret.count <= Self.largest else {
      return end(.failed("its secret has \(secret.count) bytes, which is no key"))
    }
    guard case .store(_, let stored) = purpose else { return end(.found(secret)) }
    return end(secret == stored ? .stored : .failed("it does not keep what it is given"))
  }

  private mutating func searched(_ values: [BusValue]) -> [Output] {
    guard values.count == 2, let open = values[0].paths, let locked = values[1].paths else {
      return inconsistent()
    }
    if case .remove = purpose, let first = open.first {
      return call(.delete(first), .deleting(Array(open.dropFirst().prefix(Self.most))))
    }
    if let item = open.first { return self.open(item) }
    if let item = locked.first { return call(.unlock(item), .unlocking(item, collection: false)) }
    return call(.collections, .listing)
  }

  /// Looks for a locked collection, which may hide an item; without one, the item is missing, if there
  /// is a place for items at all.
  private mutating func count(_ collections: [String]) -> [Output] {
    guard let first = collections.first else {
      return call(.alias("default"), .namingDefault)
    }
    let rest = Array(collections.dropFirst().prefix(Self.most))
    return call(.isLocked(first), .counting(rest))
  }

  private mutating func deleted(_ values: [BusValue], _ rest: [String]) -> [Output] {
    guard values.first?.text == Self.none else { return end(.locked) }
    guard let next = rest.first else { return end(.removed) }
    return call(.delete(next), .deleting(Array(rest.dropFirst())))
  }

  private mutating func inconsistent() -> [Output] { end(.failed("its answer makes no sense")) }

  /// The path that stands for no object.
  private static let none = "/"
  /// Errors by which the bus says that there is no service.
  private static let absences = [
    "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner",
    "org.freedesktop.DBus.Error.Spawn.ServiceNotFound",
  ]
  /// Bytes of a secret. Chosen: a key as text has 64.
  private static let largest = 256
  /// Collections, or items with the same name, that are looked at. Chosen: a person has a handful.
  private static let most = 32
}
