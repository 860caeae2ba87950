/// A request of a machine to the bus; the host's channel carries it out.
package enum BusAction: Hashable, Sendable {
  /// A method call. The reply has the same number, which has a meaning only to the machine.
  case call(Int, BusCall)
  case subscribe(BusMatch)
  /// Ends a subscription.
  case unsubscribe(BusMatch)
  /// Offers an object of this program, or replaces it.
  case export(BusObject)
  case withdraw(path: String)
  /// Sends a signal of an exported object to everybody on the bus.
  case emit(BusSignal)
}

/// An event of the bus for a machine.
package enum BusEvent: Hashable, Sendable {
  /// The connection is open: subscriptions and exports must be made.
  case connected
  /// The connection is closed, with all subscriptions, exports, and calls.
  case disconnected
  case reply(Int, BusReply)
  case signal(BusSignal)
  /// The permitted caller has called a method of an exported object; the channel has sent the reply.
  case called(BusSignal)
  /// The number of messages that were rejected for this reason since the last such event.
  case refused(BusRefusal, count: Int)
}

/// Why a message on the bus was rejected.
package enum BusRefusal: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// A signal of this service was sent by a program that does not own its name.
  case signal(of: String)
  /// A call to this service was answered by a program that does not own its name.
  case reply(of: String)
  /// A reply without a call, or to a call that has ended.
  case unaskedReply
  /// An exported object that only this service may call was called by another program.
  case call(of: String)
  /// A change of owners was sent by another program than the bus itself.
  case ownerChange
  /// A member has other types than its interface declares.
  case types(of: String)
  /// A message holds more values than are read.
  case size(of: String)

  package var description: String {
    switch self {
    case .signal(let service): "signals for \(service) by a program that does not own that name"
    case .reply(let service): "replies for \(service) by a program that does not own that name"
    case .unaskedReply: "replies on the bus to no call"
    case .call(let service): "calls that only \(service) may make, by a program without that name"
    case .ownerChange: "changes of owners that the bus itself did not send"
    case .types(let member): "messages of other types than \(member) has"
    case .size(let member): "messages that hold too much for \(member)"
    }
  }
}

/// A call of a method of another program's object.
package struct BusCall: Hashable, Sendable {
  package var destination: String
  package var path: String
  package var interface: String
  package var member: String
  package var arguments: [BusValue]
  /// The signature that a reply must have; `nil` where the reply is not read.
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

/// The result of a call.
package enum BusReply: Hashable, Sendable {
  case values([BusValue])
  /// The error's name, such as `org.freedesktop.DBus.Error.AccessDenied`.
  case error(String)

  /// The first value; `nil` for an error, and for an empty reply.
  package var first: BusValue? {
    guard case .values(let values) = self else { return nil }
    return values.first
  }
}

/// A signal, or a call to an exported object: both have a member and values.
package struct BusSignal: Hashable, Sendable {
  package var path: String
  package var interface: String
  package var member: String
  package var arguments: [BusValue]
  /// The unique name of the connection that sent the signal, where signals of that very connection are
  /// subscribed to, and not of the owner of a name; else `nil`.
  package var sender: String?

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

/// The signals to receive: only those of the program that owns the name of the sender.
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

/// An object that this program exports on the bus.
///
/// The channel answers `Properties.Get` and `GetAll` from `properties`, any listed method with its
/// fixed reply, and `GetManagedObjects` on `root` with all objects below it.
package struct BusObject: Hashable, Sendable {
  package var path: String
  /// The path of the object manager; `nil` for an object that needs none.
  package var root: String?
  package var interface: String
  package var properties: BusValue
  /// The methods of the object, with the signatures of their arguments.
  package var methods: [BusMethod]
  /// The only service that may read and call the object, beside the other callers.
  package var caller: String
  package var otherCallers: [String] = []

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

/// A method of an exported object.
package struct BusMethod: Hashable, Sendable {
  package var name: String
  package var signature: String
  /// The values of each reply, until the object is exported anew.
  package var reply: [BusValue]

  package init(_ name: String, _ signature: String = "", returning reply: [BusValue] = []) {
    self.name = name
    self.signature = signature
    self.reply = reply
  }
}

extension BusMatch {
  /// Matches what a service with an object manager reports: its start and end, objects that come and
  /// go, and their properties.
  package static func objects(of service: String) -> [BusMatch] {
    [
      .owner(of: service),
      BusMatch(
        sender: service, interface: BlueZ.objectManager, member: "InterfacesAdded",
        signature: "oa{sa{sv}}"),
      BusMatch(
        sender: service, interface: BlueZ.objectManager, member: "InterfacesRemoved",
        signature: "oas"),
      .propertiesChanged(of: service),
    ]
  }

  /// Matches the signal that a service starts or stops.
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
  /// Whether the service now exists; `nil` when the signal is about something else.
  package func presence(of service: String) -> Bool? {
    guard interface == "org.freedesktop.DBus", member == "NameOwnerChanged",
      self[0]?.text == service, let owner = self[2]?.text
    else { return nil }
    return !owner.isEmpty
  }

  /// The unique name of a connection that has gone; `nil` for any other signal.
  package var endedConnection: String? {
    guard let name = self[0]?.text, name.hasPrefix(":"), presence(of: name) == false else {
      return nil
    }
    return name
  }

  /// Whether the program that owned the service's name has lost it, even if another one owns it:
  /// calls to it have ended.
  package func isLoss(of service: String) -> Bool {
    presence(of: service) != nil && self[1]?.text?.isEmpty == false
  }

  /// Returns the changed values of an interface at the signal's path; `nil` for any other signal.
  package func changes(of changed: String) -> BusValue? {
    guard interface == "org.freedesktop.DBus.Properties", member == "PropertiesChanged",
      self[0]?.text == changed
    else { return nil }
    return self[1]
  }
}
