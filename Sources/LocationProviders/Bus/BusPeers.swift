package import LocationModel

/// The head of a message on the bus, read before its values.
package struct BusHead: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case signal
    case call
    /// A reply, with the number under which its call was sent.
    case reply(to: UInt64)
    case error(to: UInt64, name: String)
  }

  package var kind: Kind
  /// The unique name of the sender, written by the bus itself; empty without one.
  package var sender: String
  package var path = ""
  package var interface = ""
  package var member = ""
  package var signature = ""

  package init(_ kind: Kind, from sender: String) {
    self.kind = kind
    self.sender = sender
  }
}

/// Decides which messages on the bus are believed: only those of the owner of the service's name.
///
/// A match of the bus keeps broadcasts of other programs away, but not a message that is sent
/// directly to this connection. So the sender, which the bus itself writes into each message, is
/// compared with the owner of the service, as the bus reports it: changes are subscribed to before
/// the owner is asked for, so that none is missed. There is one value for each connection.
package struct BusPeers: Sendable {
  /// Which part receives the reply to a call.
  package enum Purpose: Hashable, Sendable {
    /// A machine, under its number.
    case machine(Int)
    /// This value itself, to learn the owner of a service.
    case owner(of: String)
    case nobody
  }

  /// A call to be sent.
  package struct Question: Hashable, Sendable {
    package var purpose: Purpose
    package var call: BusCall
  }

  private struct Pending: Sendable {
    var question: Question
    var deadline: Instant
  }

  /// The unique names of the owners, by service; no entry for a service without an owner.
  private var owners: [String: String] = [:]
  private var followed: Set<String> = []
  private var subscriptions: [BusMatch] = []
  /// Calls without a reply yet, by the numbers under which they were sent.
  private var pending: [UInt64: Pending] = [:]
  private var refusals: [BusRefusal: Int] = [:]

  package init() {}

  /// When the next pending call times out; `nil` while none is pending.
  package var nextDeadline: Instant? { pending.values.map(\.deadline).min() }

  /// Whether one more call may be sent.
  package var hasRoom: Bool { pending.count < Self.mostPending }

  // MARK: Requests

  /// Returns the calls that carry out an action, in order; those that find its service come first.
  package mutating func prepare(_ action: BusAction) -> [Question] {
    switch action {
    case .call(let number, let call):
      return follow(call.destination) + [Question(purpose: .machine(number), call: call)]
    case .subscribe(let match):
      guard !subscriptions.contains(match) else { return [] }
      let first = follow(match.sender)
      subscriptions.append(match)
      return first + [Self.addMatch(match)]
    case .unsubscribe(let match):
      guard let index = subscriptions.firstIndex(of: match) else { return [] }
      subscriptions.remove(at: index)
      return [Self.match("RemoveMatch", match)]
    case .export(let object):
      return ([object.caller] + object.otherCallers).flatMap { follow($0) }
    case .withdraw, .emit: return []
    }
  }

  /// Notes that a question was sent under a number.
  package mutating func sent(_ question: Question, as serial: UInt64, at now: Instant) {
    pending[serial] = Pending(question: question, deadline: now + Self.timeout)
  }

  private mutating func follow(_ service: String) -> [Question] {
    guard service != Self.bus, !Self.isUnique(service), followed.insert(service).inserted else {
      return []
    }
    let ask = Self.ask("GetNameOwner", reply: "s").with(.string(service))
    return [Self.addMatch(.owner(of: service)), Question(purpose: .owner(of: service), call: ask)]
  }

  private static func addMatch(_ match: BusMatch) -> Question { Self.match("AddMatch", match) }

  private static func match(_ member: String, _ match: BusMatch) -> Question {
    var rule =
      "type='signal',sender='\(match.sender)',interface='\(match.interface)',"
      + "member='\(match.member)'"
    if let argument = match.firstArgument { rule += ",arg0='\(argument)'" }
    return Question(purpose: .nobody, call: ask(member).with(.string(rule)))
  }

  private static func ask(_ member: String, reply: String? = nil) -> BusCall {
    BusCall(bus, path: "/org/freedesktop/DBus", interface: bus, member: member, reply: reply)
  }

  // MARK: Receiving

  /// Returns the events for the machines from a message that is a signal or a reply.
  ///
  /// `values` reads the values; it is called at most once, and only for a message that is believed.
  /// It returns `nil` when there are too many values.
  package mutating func receive(_ head: BusHead, values: () -> [BusValue]?) -> [BusEvent] {
    switch head.kind {
    case .call: []
    case .signal: handleSignal(head, values)
    case .reply(let serial): handleReply(to: serial, head, nil, values)
    case .error(let serial, let name): handleReply(to: serial, head, name, values)
    }
  }

  /// Whether the permitted caller sent a call to an exported object; counts a rejected call.
  package mutating func mayCall(_ object: BusObject, _ head: BusHead) -> Bool {
    if ([object.caller] + object.otherCallers).contains(where: { owns(head.sender, $0) }) {
      return true
    }
    refuse(.call(of: object.caller))
    return false
  }

  /// Ends the calls whose timeout is over.
  package mutating func expire(at now: Instant) -> [BusEvent] {
    fail { $0.deadline <= now }
  }

  /// Returns what was rejected since the last call, in a fixed order.
  package mutating func takeRefusals() -> [BusEvent] {
    guard !refusals.isEmpty else { return [] }
    defer { refusals = [:] }
    return refusals.sorted { $0.key < $1.key }.map { .refused($0.key, count: $0.value) }
  }

  private func owns(_ sender: String, _ service: String) -> Bool {
    service == Self.bus || Self.isUnique(service)
      ? sender == service : !sender.isEmpty && owners[service] == sender
  }

  /// Whether a name is that of one connection, which no other can have.
  private static func isUnique(_ name: String) -> Bool { name.hasPrefix(":") }

  private mutating func refuse(_ reason: BusRefusal) {
    refusals[reason, default: 0] += 1
  }

  private mutating func handleSignal(
    _ head: BusHead, _ read: () -> [BusValue]?
  ) -> [BusEvent] {
    let isOwnerChange = head.interface == Self.bus && head.member == Self.ownerChange
    guard !isOwnerChange || head.sender == Self.bus else {
      refuse(.ownerChange)
      return []
    }
    let meant = subscriptions.filter {
      $0.interface == head.interface && $0.member == head.member
    }
    guard isOwnerChange || !meant.isEmpty else { return [] }
    let believed = meant.filter { owns(head.sender, $0.sender) }
    if !isOwnerChange, believed.isEmpty {
      refuse(.signal(of: meant[0].sender))
      return []
    }
    let signature = isOwnerChange ? "sss" : believed[0].signature
    guard head.signature == signature else {
      refuse(.types(of: head.member))
      return []
    }
    guard let values = values(of: head.member, read) else { return [] }
    let lost = isOwnerChange ? changeOwner(values) : []
    let first = values.first?.text
    guard believed.contains(where: { $0.firstArgument == nil || $0.firstArgument == first }) else {
      return lost
    }
    var signal = BusSignal(
      path: head.path, interface: head.interface, member: head.member, arguments: values)
    signal.sender = believed.first { Self.isUnique($0.sender) }?.sender
    return lost + [.signal(signal)]
  }

  /// Ends the calls that were sent to an owner that is gone, but not those that wait for a first
  /// owner.
  private mutating func changeOwner(_ values: [BusValue]) -> [BusEvent] {
    guard values.count == 3, let service = values[0].text, followed.contains(service),
      let new = values[2].text
    else { return [] }
    let old = owners.removeValue(forKey: service)
    if !new.isEmpty { owners[service] = new }
    guard old != nil, old != new else { return [] }
    return fail { $0.question.call.destination == service }
  }

  private mutating func handleReply(
    to serial: UInt64, _ head: BusHead, _ error: String?, _ read: () -> [BusValue]?
  ) -> [BusEvent] {
    guard let question = pending[serial]?.question else {
      if head.sender != Self.bus { refuse(.unaskedReply) }
      return []
    }
    let service = question.call.destination
    // The bus itself answers that a service does not exist.
    guard owns(head.sender, service) || error != nil && head.sender == Self.bus else {
      // The genuine reply may still arrive.
      refuse(.reply(of: service))
      return []
    }
    pending[serial] = nil
    switch question.purpose {
    case .nobody: return []
    case .owner(let service):
      owners[service] = error == nil ? values(of: question.call.member, read)?.first?.text : nil
      return []
    case .machine(let number):
      if let error { return [.reply(number, .error(error))] }
      guard let types = question.call.reply else { return [.reply(number, .values([]))] }
      guard head.signature == types else {
        refuse(.types(of: question.call.member))
        return [.reply(number, .error(Self.inconsistent))]
      }
      let read = values(of: question.call.member, read)
      return [.reply(number, read.map { .values($0) } ?? .error(Self.inconsistent))]
    }
  }

  private mutating func values(
    of member: String, _ read: () -> [BusValue]?
  ) -> [BusValue]? {
    let values = read()
    if values == nil { refuse(.size(of: member)) }
    return values
  }

  private mutating func fail(_ isOver: (Pending) -> Bool) -> [BusEvent] {
    let over = pending.filter { isOver($0.value) }.sorted { $0.key < $1.key }
    return over.compactMap { serial, call in
      pending[serial] = nil
      switch call.question.purpose {
      case .machine(let number): return .reply(number, .error(Self.noReply))
      case .owner(let service): followed.remove(service)
      case .nobody: break
      }
      return nil
    }
  }

  /// The name of the bus itself, and of its interface; no program can own it.
  private static let bus = "org.freedesktop.DBus"
  private static let ownerChange = "NameOwnerChanged"
  private static let noReply = "org.freedesktop.DBus.Error.NoReply"
  private static let inconsistent = "org.freedesktop.DBus.Error.InconsistentMessage"
  /// The same as sd-bus.
  private static let timeout = Duration.seconds(25)
  /// Calls. Chosen: a scanner and an advertiser have three.
  package static let mostPending = 256
}
