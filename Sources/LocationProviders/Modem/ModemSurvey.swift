import LocationModel

/// Follows the modems that ModemManager knows.
struct ModemSurvey: Sendable {
  private enum State: Hashable, Sendable {
    /// Waiting for the list of objects, or for the service to start.
    case asking
    case following
    /// There is no such service, or it ended.
    case absent
  }

  private var state = State.asking
  /// By path, at most ``mostModems``.
  private(set) var modems: [String: ModemProperties] = [:]
  /// Modems beyond those that are used.
  private(set) var dropped = 0

  /// Whether it is known which modems there are.
  var isSettled: Bool { state != .asking }

  /// What is missing before any modem is looked at; `nil` when there is one, or while unknown.
  var lack: ModemLack? {
    switch state {
    case .asking: nil
    case .absent: .service
    case .following: modems.isEmpty ? .modem : nil
    }
  }

  /// Takes the list of objects.
  mutating func take(list reply: BusReply) {
    modems = [:]
    guard case .values = reply else {
      state = .absent
      return
    }
    state = .following
    for object in reply.first?.entries ?? [] {
      guard let path = object.key.text else { continue }
      add(object.value, at: path)
    }
  }

  /// Takes a signal; returns whether the list of objects must be asked for.
  mutating func take(_ signal: BusSignal) -> Bool {
    if let isPresent = signal.presence(of: ModemService.service) {
      modems = [:]
      state = isPresent ? .asking : .absent
      return isPresent
    }
    guard state == .following else { return false }
    if signal.interface == BlueZ.objectManager, let path = signal[0]?.text {
      if signal.member == "InterfacesAdded", let interfaces = signal[1] {
        add(interfaces, at: path)
      } else {
        remove(signal[1]?.elements?.compactMap(\.text) ?? [], at: path)
      }
    }
    for interface in [ModemService.modem, ModemService.location] {
      if let changes = signal.changes(of: interface) {
        modems[signal.path]?.apply(changes, of: interface)
      }
    }
    return false
  }

  private mutating func add(_ interfaces: BusValue, at path: String) {
    let isModem = interfaces[ModemService.modem] != nil
    guard isModem || modems[path] != nil else { return }
    guard modems[path] != nil || modems.count < Self.mostModems else {
      dropped += 1
      return
    }
    for interface in [ModemService.modem, ModemService.location] {
      guard let properties = interfaces[interface] else { continue }
      modems[path, default: ModemProperties()].apply(properties, of: interface)
    }
  }

  private mutating func remove(_ interfaces: [String], at path: String) {
    if interfaces.contains(ModemService.modem) { modems[path] = nil }
    guard interfaces.contains(ModemService.location) else { return }
    modems[path]?.capabilities = nil
    modems[path]?.enabled = 0
  }

  static let list = BusCall(
    ModemService.service, path: ModemService.root, interface: BlueZ.objectManager,
    member: "GetManagedObjects", reply: "a{oa{sa{sv}}}")

  static let matches = BusMatch.objects(of: ModemService.service)

  /// Chosen: no computer has more.
  static let mostModems = 8
}
