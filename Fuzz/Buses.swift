internal import LocationModel
internal import LocationProviders

/// Makes values of D-Bus of bytes, as many as there are.
private struct BusValueMaker {
  private var bytes: ArraySlice<UInt8>
  /// What the services that are read here call their properties.
  private static let words = [
    "org.bluez.Adapter1", "org.bluez.Device1", "Address", "RSSI", "Powered", "Discovering",
    "ManufacturerData", "AdvertisingData", "/org/bluez/hci0", "/org/bluez/hci0/dev_0",
    "org.freedesktop.ModemManager1.Modem", "org.freedesktop.ModemManager1.Modem.Location",
    "/org/freedesktop/ModemManager1/Modem/0", "State", "Capabilities", "Enabled", "Location",
    "SignalsLocation", "AccessTechnologies", "cell-type", "serving", "ci", "tac", "operator-id",
    "physical-ci", "earfcn", "rsrp", "262,01,0000,01A2B3C4,5D6E", "26201", "1A2B",
    "$GPGGA,123519,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,*47", "AA:BB:CC:DD:EE:FF",
  ]

  init(_ bytes: [UInt8]) { self.bytes = bytes[...] }

  var isAtEnd: Bool { bytes.isEmpty }

  mutating func byte() -> UInt8 { bytes.popFirst() ?? 0 }

  mutating func word() -> String {
    let choice = Int(byte())
    if choice < Self.words.count { return Self.words[choice] }
    let count = Int(byte() % 32)
    defer { bytes = bytes.dropFirst(count) }
    return String(decoding: bytes.prefix(count), as: UTF8.self)
  }

  mutating func number() -> Int64 {
    (0..<8).reduce(0) { sum, _ in sum << 8 | Int64(byte()) }
  }

  mutating func value(depth: Int = 0) -> BusValue {
    switch byte() % (depth < 6 ? 14 : 9) {
    case 0: return .boolean(byte() & 1 == 1)
    case 1: return .byte(byte())
    case 2: return .int16(Int16(truncatingIfNeeded: number()))
    case 3: return .uint32(UInt32(truncatingIfNeeded: number()))
    case 4: return .int64(number())
    case 5: return .double(Double(bitPattern: UInt64(bitPattern: number())))
    case 6: return .string(word())
    case 7: return .objectPath(word())
    case 8:
      let count = Int(byte() % 40)
      defer { bytes = bytes.dropFirst(count) }
      return .bytes(Array(bytes.prefix(count)))
    case 9: return .array(of: "v", values(depth))
    case 10: return .structure(values(depth))
    case 11: return .variant(value(depth: depth + 1))
    case 12:
      // The kinds of a cell, and the sources of a modem's location, are numbers.
      return .dictionary(
        key: "u", value: "v",
        values(depth).map { BusEntry(key: .uint32(UInt32(byte() % 8)), value: $0) })
    default:
      return .dictionary(
        key: "s", value: "v", values(depth).map { BusEntry(key: .string(word()), value: $0) })
    }
  }

  private mutating func values(_ depth: Int) -> [BusValue] {
    var values: [BusValue] = []
    for _ in 0..<(byte() % 5) { values.append(value(depth: depth + 1)) }
    return values
  }

  mutating func event() -> BusEvent {
    switch byte() % 8 {
    case 0: return .connected
    case 1: return .disconnected
    case 2, 3, 4: return .reply(Int(byte() % 32), .values([value()]))
    case 5: return .reply(Int(byte() % 32), .error("org.freedesktop.DBus.Error.Failed"))
    default:
      let interfaces = [
        "org.freedesktop.DBus.ObjectManager", "org.freedesktop.DBus.Properties",
        "org.freedesktop.DBus", "org.bluez.AdvertisementMonitor1",
      ]
      let members = [
        "InterfacesAdded", "InterfacesRemoved", "PropertiesChanged", "NameOwnerChanged",
        "DeviceFound", "DeviceLost",
      ]
      let (interface, member) = (Int(byte()), Int(byte()))
      return .signal(
        BusSignal(
          path: word(), interface: interfaces[interface % interfaces.count],
          member: members[member % members.count], arguments: [value(), value(), value()]))
    }
  }

  /// Returns the events that an input stands for.
  @Sendable static func events(_ bytes: [UInt8]) -> [ChannelEvent] {
    var maker = BusValueMaker(bytes)
    var events: [ChannelEvent] = [.bus(.connected)]
    while !maker.isAtEnd { events.append(.bus(maker.event())) }
    return events
  }
}

extension Fuzzer {
  /// What services on D-Bus and compositors say.
  static var buses: [Fuzzer] {
    [
      driver("bluez", "bluez:", pieces: BusValueMaker.events),
      driver("modem", "modem:", pieces: BusValueMaker.events),
      Fuzzer("wayland") { bytes in
        var windows = WaylandWindows()
        _ = windows.handle(.opened, at: .piece(0))
        _ = windows.handle(.bytes(bytes), at: .piece(1))
      },
      Fuzzer("sway") { bytes in
        var windows = SwayWindows()
        _ = windows.handle(.opened, at: .piece(0))
        _ = windows.handle(.bytes(bytes), at: .piece(1))
      },
    ]
  }
}
