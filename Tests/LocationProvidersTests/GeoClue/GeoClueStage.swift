import LocationModel
import LocationProviders
import TestSupport

/// The service with callers that are identified, and a transcript of what it says.
struct GeoClueStage {
  var bench = Bench(GeoClueService()) { word($0) }
  private var lastQuestion = 0

  static let granted = ClientState(authorization: AuthorizationReport(status: .whenInUse))
  static let denied = ClientState(authorization: AuthorizationReport(status: .denied))
  static let undecided = ClientState()
  static var asking: ClientState {
    var state = ClientState()
    state.isAsking = true
    return state
  }

  static let manager = "/org/freedesktop/GeoClue2/Manager"
  static func client(_ number: Int) -> String { "/org/freedesktop/GeoClue2/Client/\(number)" }

  /// A call, whose number is the next one.
  mutating func call(
    _ member: String, _ arguments: BusValue..., at path: String = manager,
    of sender: String = ":1.7",
    interface: String? = nil
  ) {
    lastQuestion += 1
    let interface = interface ?? (path == Self.manager ? "Manager" : "Client")
    bench.send(
      .call(
        BusQuestion(
          number: lastQuestion, sender: sender,
          call: BusSignal(
            path: path,
            interface: interface.contains(".")
              ? interface : "org.freedesktop.GeoClue2.\(interface)",
            member: member, arguments: arguments))))
  }

  mutating func get(
    _ name: String, at path: String, _ interface: String, of sender: String = ":1.7"
  ) {
    call(
      "Get", .string("org.freedesktop.GeoClue2.\(interface)"), .string(name), at: path, of: sender,
      interface: "org.freedesktop.DBus.Properties")
  }

  mutating func set(
    _ name: String, _ value: BusValue, at path: String = client(1), _ interface: String = "Client",
    of sender: String = ":1.7"
  ) {
    call(
      "Set", .string("org.freedesktop.GeoClue2.\(interface)"), .string(name), .variant(value),
      at: path, of: sender, interface: "org.freedesktop.DBus.Properties")
  }

  /// Makes a client of an identified caller.
  mutating func open(_ sender: String = ":1.7", user: UInt32 = 1000) {
    call("GetClient", of: sender)
    bench.send(.known(sender, user: user))
  }

  /// A client that is active, whose app may know the location.
  mutating func begin(_ level: UInt32 = 8) {
    open()
    set("DesktopId", .string("maps"))
    set("RequestedAccuracyLevel", .uint32(level))
    call("Start", at: Self.client(1))
    bench.send(.state(":1.7", Self.granted))
  }

  mutating func fix(_ fix: Fix, client: UInt32 = 1, of sender: String = ":1.7") {
    bench.send(.updates(sender, SubscriberID(client), .fixes([fix])))
  }

  /// What was said since the last time.
  mutating func said() -> [String] {
    defer { heard = bench.outputs.count }
    return bench.outputs[heard...].map { word($0.output) }
  }

  private var heard = 0
}

/// A fix some meters north of a place, some seconds after the start.
func fix(north meters: Double = 0, seconds: Double = 0) -> Fix {
  Fix(
    coordinate: Coordinate(latitude: 48 + meters / 111_320, longitude: 11), horizontalAccuracy: 5,
    time: UnixTime(seconds: 1_700_000_000 + seconds))
}

/// An output in a few words.
private func word(_ output: GeoClueService.Output) -> String {
  switch output {
  case .answer(let number, .values(let values)):
    "\(number): " + (values.isEmpty ? "done" : values.map(word).joined(separator: " "))
  case .answer(let number, .error(let name, let text)):
    "\(number): \(name.split(separator: ".").last ?? "") \(text)"
  case .emit(let signal, let receiver):
    (receiver ?? "all") + " hears \(signal.member) "
      + signal.arguments.map(word).joined(separator: " ")
  case .emitLater(let signal, let receiver):
    "\(receiver) hears \(signal.member) " + signal.arguments.map(word).joined(separator: " ")
  case .identify(let name): "identify \(name)"
  case .forget(let name): "forget \(name)"
  case .join(let name, let desktopID): "join \(name) as \(desktopID)"
  case .leave(let name): "leave \(name)"
  case .subscribers(let name, let change): "\(name) has \(change > 0 ? "+" : "")\(change)"
  case .request(_, .authorization(.request(let goal, let manager))):
    "request \(goal) for \(manager.rawValue)"
  case .request(_, .updates(let manager, .start(let options))):
    "start \(manager.rawValue) \(options.accuracy)"
  case .request(_, .updates(let manager, .change(let options))):
    "change \(manager.rawValue) \(options.accuracy)"
  case .request(_, .updates(let manager, .stop)): "stop \(manager.rawValue)"
  case .request(_, .end(let manager)): "end \(manager.rawValue)"
  case .request(_, let request): "\(request)"
  case .bus(.subscribe(let match)): "follow \(match.member) of \(match.sender)"
  case .bus(.unsubscribe(let match)): "follow no more \(match.member) of \(match.sender)"
  case .bus(.call(_, let call)):
    "ask \(call.destination) \(call.member) " + call.arguments.map(word).joined(separator: " ")
  case .bus(let action): "\(action)"
  case .limited(let user, let level):
    "user \(user) " + (level.map { "at most \($0)" } ?? "not limited")
  }
}

private func word(_ value: BusValue) -> String {
  switch value {
  case .objectPath(let path): "/" + path.dropFirst("/org/freedesktop/GeoClue2/".count)
  case .string(let text): String(text.split(separator: ".").last ?? "")
  case .uint32(let number): "\(number)"
  case .boolean(let flag): "\(flag)"
  case .double(let number): "\(number)"
  case .variant(let inner): word(inner)
  case .structure(let values): "(" + values.map(word).joined(separator: ",") + ")"
  case .uint64(let number): "\(number)"
  case .array: ""
  case .dictionary(_, _, let entries):
    "{" + entries.map { word($0.key) + ":" + word($0.value) }.joined(separator: " ") + "}"
  default: "\(value)"
  }
}
