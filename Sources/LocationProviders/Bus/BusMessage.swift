/// What a machine asks of the bus; the host's channel carries it out.
package enum BusAction: Hashable, Sendable {
  /// The reply comes back under the same number, which only its machine understands.
  case call(Int, BusCall)
  case subscribe(BusMatch)
  /// Offers an object of ours, or replaces it.
  case export(BusObject)
  case withdraw(path: String)
}

/// What a machine hears of the bus.
package enum BusEvent: Hashable, Sendable {
  /// The connection is there: subscriptions and exports must be made.
  case connected
  /// The connection is gone, with all subscriptions, exports, and calls.
  case disconnected
  case reply(Int, BusReply)
  case signal(BusSignal)
  /// The program that may call an exported object has called a method; the channel has answered with
  /// nothing.
  case called(BusSignal)
  /// So many messages were not believed since the last word of it.
  case refused(BusRefusal, count: Int)
}

/// Why a message on the bus was not believed.
package enum BusRefusal: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// A signal of this service was sent by another program than its owner.
  case signal(of: String)
  /// A call to this service was answered by another program than its owner.
  case reply(of: String)
  /// A reply to no call, or to one that is over.
  case unaskedReply
  /// An object of ours that only this service may call was called by another program.
  case call(of: String)
  /// A change of owners was told by another program than the bus itself.
  case ownerChange
  /// A member has other types than its interface says.
  case types(of: String)
  /// A message holds more than is read.
  case size(of: String)

  package var description: String {
    switch self {
    case .signal(let service): "signals for \(service) by a program that does not own that name"
    case .reply(let service): "replies for \(service) by a program that does not own that name"
    case .unaskedReply: "replies on the bus to no call"
    case .call(let service): "calls that only \(service) may make, by a program without that name"
    case .ownerChange: "changes of owners that the bus itself did not tell"
    case .types(let member): "messages of other types than \(member) has"
    case .size(let member): "messages that hold too much for \(member)"
    }
  }
}

/// A method call to someone else's object.
package struct BusCall: Hashable, Sendable {
  package var destination: String
  package var path: String
  package var interface: String
  package var member: String
  package var arguments: [BusValue]
  /// The signature that a reply must have; `nil` where nobody reads it.
  package var reply: String?

  package init(
    _ destination: String, path: String, interface: String, member: String, reply: String? = nil
  ) {
    self.destination = destination
    self.path = path
    self.interface = interface
    self.member = member
    self.reply = reply
    arguments = []
  }

  package func with(_ arguments: BusValue...) -> BusCall {
    var call = self
    call.arguments = arguments
    return call
  }
}

/// What came of a call.
package enum BusReply: Hashable, Sendable {
  case values([BusValue])
  /// The error's name, such as `org.freedesktop.DBus.Error.AccessDenied`.
  case error(String)

  /// The first value; `nil` of an error, and of an empty reply.
  package var first: BusValue? {
    guard case .values(let values) = self else { return nil }
    return values.first
  }
}

/// A signal, or a call to one of our objects: both name a member and carry values.
package struct BusSignal: Hashable, Sendable {
  package var path: String
  package var interface: String
  package var member: String
  package var arguments: [BusValue]

  package init(path: String, interface: String, member: String, arguments: [BusValue]) {
    self.path = path
    self.interface = interface
    self.member = member
    self.arguments = arguments
  }

  package subscript(index: Int) -> BusValue? {
    arguments.indices.contains(index) ? arguments[index] : nil
  }
}

/// Which signals to hear: only those of the program that owns the name of the sender.
package struct BusMatch: Hashable, Sendable {
  package var sender: String
  package var interface: String
  package var member: String
  /// The types that the signal must carry.
  package var signature: String
  /// Only signals whose first argument is this string; `nil` for all.
  package var firstArgument: String?

  package init(
    sender: String, interface: String, member: String, signature: String,
    firstArgument: String? = nil
  ) {
    self.sender = sender
    self.interface = interface
    self.member = member
    self.signature = signature
    self.firstArgument = firstArgument
  }
}

/// An object of ours on the bus.
///
/// The channel answers `Properties.Get` and `GetAll` from `properties`, any listed method with
/// nothing, and `GetManagedObjects` on `root` with all objects below it.
package struct BusObject: Hashable, Sendable {
  package var path: String
  /// Where the object manager sits; `nil` for an object that needs none.
  package var root: String?
  package var interface: String
  package var properties: BusValue
  /// Names and the signatures of what they take.
  package var methods: [BusMethod]
  /// The service that may read and call the object; nobody else may.
  package var caller: String

  package init(
    path: String, root: String? = nil, interface: String, caller: String, properties: BusValue,
    methods: [BusMethod]
  ) {
    self.path = path
    self.root = root
    self.interface = interface
    self.caller = caller
    self.properties = properties
    self.methods = methods
  }
}

/// A method of an object of ours.
package struct BusMethod: Hashable, Sendable {
  package var name: String
  package var signature: String

  package init(_ name: String, _ signature: String = "") {
    self.name = name
    self.signature = signature
  }
}

extension BusMatch {
  /// Hears when a service comes or goes.
  package static func owner(of service: String) -> BusMatch {
    BusMatch(
      sender: "org.freedesktop.DBus", interface: "org.freedesktop.DBus",
      member: "NameOwnerChanged", signature: "sss", firstArgument: service)
  }

  package static func propertiesChanged(of service: String) -> BusMatch {
    BusMatch(
      sender: service, interface: "org.freedesktop.DBus.Properties", member: "PropertiesChanged",
      signature: "sa{sv}as")
  }
}

extension BusSignal {
  /// Whether the service is there from now on; `nil` when the signal is about something else.
  package func presence(of service: String) -> Bool? {
    guard interface == "org.freedesktop.DBus", member == "NameOwnerChanged",
      self[0]?.text == service, let owner = self[2]?.text
    else { return nil }
    return !owner.isEmpty
  }

  /// Whether the program that owned the service's name does so no more, also when another one does
  /// now: what it was asked is over.
  package func isLoss(of service: String) -> Bool {
    presence(of: service) != nil && self[1]?.text?.isEmpty == false
  }

  /// The changed values of an interface at the signal's path; `nil` for any other signal.
  package func changes(of changed: String) -> BusValue? {
    guard interface == "org.freedesktop.DBus.Properties", member == "PropertiesChanged",
      self[0]?.text == changed
    else { return nil }
    return self[1]
  }
}
