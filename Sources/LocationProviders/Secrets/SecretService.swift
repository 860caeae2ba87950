/// What a secret is found by, and what a person sees of it.
package struct SecretItem: Hashable, Sendable {
  /// A name by chance, which no other secret has.
  package var name: String
  /// What the programs of the person show.
  package var label: String

  package init(name: String, label: String) {
    (self.name, self.label) = (name, label)
  }

  /// The kind of items that this program makes: the attribute `xdg:schema`.
  package static let schema = "org.meridian.StateKey"

  var attributes: BusValue {
    let pairs = [("xdg:schema", Self.schema), ("name", name)]
    return .dictionary(
      key: "s", value: "s", pairs.map { BusEntry(key: .string($0.0), value: .string($0.1)) })
  }
}

/// How an errand with the Secret Service ended.
package enum SecretOutcome: Hashable, Sendable {
  /// A secret can be stored.
  case ready
  case found([UInt8])
  case stored
  case removed
  /// The service is open, and has no such item.
  case missing
  /// It would have to ask a person for a password.
  case locked
  /// Nobody offers the service.
  case absent
  /// Why it is of no use.
  case failed(String)

  /// The same for a person; `nil` where it has done what it should.
  package var fault: String? {
    switch self {
    case .ready, .found, .stored, .removed: nil
    case .missing: "the Secret Service has no such item"
    case .locked: "the Secret Service is locked"
    case .absent: "there is no Secret Service on the bus of the session"
    case .failed(let reason): "the Secret Service is of no use: \(reason)"
    }
  }
}

// The calls of the Secret Service API, version 0.2.
extension BusCall {
  static func alias(_ name: String) -> BusCall {
    service("ReadAlias", reply: "o").with(.string(name))
  }

  static func search(_ item: SecretItem) -> BusCall {
    service("SearchItems", reply: "aoao").with(item.attributes)
  }

  static func unlock(_ object: String) -> BusCall {
    service("Unlock", reply: "aoo").with(.array(of: "o", [.objectPath(object)]))
  }

  /// A session whose secrets are not encrypted once more on their way (docs/decisions/0119).
  static var openSession: BusCall {
    service("OpenSession", reply: "vo").with(.string("plain"), .variant(.string("")))
  }

  static var collections: BusCall {
    property("Collections", of: "Service", at: path)
  }

  static func isLocked(_ collection: String) -> BusCall {
    property("Locked", of: "Collection", at: collection)
  }

  static func create(
    _ item: SecretItem, _ secret: [UInt8], in collection: String, over session: String
  ) -> BusCall {
    let properties = BusValue.properties([
      "org.freedesktop.Secret.Item.Label": .string(item.label),
      "org.freedesktop.Secret.Item.Attributes": item.attributes,
    ])
    let secret = BusValue.structure([
      .objectPath(session), .bytes([]), .bytes(secret), .string("text/plain"),
    ])
    return call("Collection", "CreateItem", at: collection, reply: "oo")
      .with(properties, secret, .boolean(true))
  }

  static func secret(of item: String, over session: String) -> BusCall {
    call("Item", "GetSecret", at: item, reply: "(oayays)").with(.objectPath(session))
  }

  static func delete(_ item: String) -> BusCall { call("Item", "Delete", at: item, reply: "o") }

  private static func property(_ name: String, of interface: String, at path: String) -> BusCall {
    BusCall(
      destination, path: path, interface: "org.freedesktop.DBus.Properties", member: "Get",
      reply: "v"
    ).with(.string("org.freedesktop.Secret.\(interface)"), .string(name))
  }

  private static func service(_ member: String, reply: String) -> BusCall {
    call("Service", member, at: path, reply: reply)
  }

  private static func call(
    _ interface: String, _ member: String, at path: String, reply: String
  ) -> BusCall {
    BusCall(
      destination, path: path, interface: "org.freedesktop.Secret.\(interface)", member: member,
      reply: reply)
  }

  private static let destination = "org.freedesktop.secrets"
  private static let path = "/org/freedesktop/secrets"
}

extension BusValue {
  /// The paths of an array of objects.
  var paths: [String]? {
    guard let elements else { return nil }
    return elements.compactMap(\.text)
  }
}
