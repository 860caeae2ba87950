import LocationModel
import LocationProviders

/// The reply of an exported object to a call.
struct BusAnswer: Hashable {
  var values: [BusValue]
  /// Whether the object's owner must be notified of the call.
  var isNew: Bool

  /// Creates the reply; `nil` for a call that none of the objects implements.
  init?(to call: BusSignal, among objects: [BusObject]) {
    switch (call.interface, call.member) {
    case (Self.objectManager, "GetManagedObjects"):
      let below = objects.filter { $0.root == call.path }.sorted { $0.path < $1.path }
      guard !below.isEmpty else { return nil }
      self.init(values: [Self.managed(below)], isNew: false)
    case (Self.properties, "GetAll"):
      guard let object = objects.first(where: { $0.path == call.path }) else { return nil }
      self.init(values: [object.properties], isNew: false)
    case (Self.properties, "Get"):
      guard let object = objects.first(where: { $0.path == call.path }),
        let name = call[1]?.text, let value = object.properties[name]
      else { return nil }
      self.init(values: [.variant(value)], isNew: false)
    default:
      guard
        let object = objects.first(where: {
          $0.path == call.path && $0.interface == call.interface
        }),
        let method = object.methods.first(where: { $0.name == call.member }),
        call.arguments.map(\.signature).joined() == method.signature
      else { return nil }
      self.init(values: method.reply, isNew: true)
    }
  }

  private init(values: [BusValue], isNew: Bool) {
    self.values = values
    self.isNew = isNew
  }

  private static func managed(_ objects: [BusObject]) -> BusValue {
    .dictionary(
      key: "o", value: "a{sa{sv}}",
      objects.map { object in
        let interfaces = BusValue.dictionary(
          key: "s", value: "a{sv}",
          [BusEntry(key: .string(object.interface), value: object.properties)])
        return BusEntry(key: .objectPath(object.path), value: interfaces)
      })
  }

  private static let objectManager = "org.freedesktop.DBus.ObjectManager"
  private static let properties = "org.freedesktop.DBus.Properties"
}
