import LocationProviders

extension BusEvent {
  /// The bus says that a name has another owner; an empty one is none.
  static func owner(of name: String, from old: String, to new: String) -> BusEvent {
    .signal(
      BusSignal(
        path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus",
        member: "NameOwnerChanged",
        arguments: [.string(name), .string(old), .string(new)]))
  }
}
