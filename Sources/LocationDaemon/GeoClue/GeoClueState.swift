import LocationHost
import LocationLink
import LocationModel
import LocationProviders

/// The process at the other end of a connection to the bus, held so that its number stays its own.
struct BusCaller: Sendable {
  /// The unique name of the connection.
  var name: String
  var pid: Int32
  var user: UInt32
  /// A descriptor of the process, which whoever receives this closes.
  var process: Int32
}

/// What the server knows of the programs that ask GeoClue.
struct GeoClueState {
  /// A connection to the bus; a client of the engine from the first start of one of its clients.
  struct Caller {
    /// Its number among all connections of the daemon.
    var number = 0
    /// `nil` while it is not identified.
    var peer: Peer?
    var payer: Payer?
    var declared = ManifestReader.Reading(manifest: Manifest(), fault: nil)
    var since = HostClock.now.unixTime
    /// Client objects.
    var subscribers = 0
    var client: ClientID?
    var app: AppIdentity?
  }

  /// Whether the configuration wants it.
  var isOn = false
  var bus: BusConnection?
  var name = BusName(GeoClue.name)
  var service = GeoClueService()
  /// By the unique names of their connections.
  var callers: [String: Caller] = [:]
  /// Inputs that came while another one was handled, in their order.
  var inputs: [GeoClueService.Input] = []
  var isStepping = false
  /// Signals for which nobody waits, with their receivers, in their order.
  var later: [(signal: BusSignal, receiver: String)] = []
  /// The program that pays for the input that is handled.
  var payer: Payer?
  /// The agents whose signals are not read, and which are asked later.
  var unread: Set<String> = []
  /// Whether the bus is about to be served.
  var isServing = false
  /// The deadline for which a wake is scheduled.
  var armed: Instant?

  /// What the owner sees; `nil` where the configuration does not want it.
  var status: GeoClueStatus? {
    guard isOn else { return nil }
    switch name.standing {
    case .owned: return GeoClueStatus(state: "serving", reason: nil)
    case .taken: return GeoClueStatus(state: "taken", reason: Self.taken)
    case .refused(let reason): return GeoClueStatus(state: "refused", reason: reason)
    case nil: return GeoClueStatus(state: "refused", reason: "the bus has not answered yet")
    }
  }

  static let taken = "another program, GeoClue itself perhaps, has the name \(GeoClue.name)"
}
