import Glibc
import LocationFleet
import LocationModel

/// Why the program ends.
struct FleetFault: Error {
  var reason: String
  /// 1 if the environment is in the way, 2 for wrong usage or input.
  var status: Int32 = 2

  static func port(_ number: Int, at address: String, _ fault: Int32) -> FleetFault {
    FleetFault(
      reason: "port \(number) of \(address): \(String(cString: strerror(fault)))", status: 1)
  }
}

/// The command line.
struct FleetOptions {
  enum Task: Hashable {
    case run
    case check
    case ingress
    case checkIngress
    case sink(SinkKind?)
    case checkSink(SinkKind)
    case schema
    case refused
    case forgetSink(String)
    case password
    case seed
    case initialize
    case streams
    case fences(String)
    case checkFences(String)
    case publish
    case events
    case erase([String])
    case eraseAll(String)
    case tenantKey(String)
    case erasures
    case expire
    case doctor
    case help
    case version
  }

  var task = Task.run
  private(set) var file: String?
  private(set) var name: String?
  /// How long an erasure or `expire` waits for a worker, in seconds.
  private(set) var wait = 60
  /// Whether a person need not be asked.
  private(set) var isConfirmed = false
  /// Whether what is found is printed as JSON.
  private(set) var isJSON = false

  init(_ arguments: [String]) throws(FleetFault) {
    var rest = arguments[...]
    var (hasVerb, check, schema, all) = (false, false, false, false)
    while let argument = rest.popFirst() {
      func value() throws(FleetFault) -> String {
        guard let value = rest.popFirst() else {
          throw FleetFault(reason: "\(argument) needs a value; see --help")
        }
        return value
      }
      switch argument {
      case "--config": file = try value()
      case "--name": name = try value()
      case "--wait":
        guard let seconds = Int(try value()), (1...86_400).contains(seconds) else {
          throw FleetFault(reason: "--wait must be a number of seconds from 1 to 86400")
        }
        wait = seconds
      case "--check": check = true
      case "--schema": schema = true
      case "--all": all = true
      case "--yes": isConfirmed = true
      case "--json": isJSON = true
      case "--help", "-h": task = .help
      case "--version": task = .version
      default:
        if takeWord(argument) { continue }
        guard task != .sink(nil) else {
          throw FleetFault(
            reason: "sink \(argument): a sink is webhook, postgis, mqtt, or nats; see --help")
        }
        guard !hasVerb, let named = Self.tasks[argument] else {
          throw FleetFault(reason: "unknown argument \(argument); see --help")
        }
        hasVerb = true
        if task == .run { task = named }
      }
    }
    try resolve(check: check, schema: schema)
    try resolveErasure(all: all)
    guard !isJSON || task == .doctor || task == .help else {
      throw FleetFault(reason: "--json belongs to doctor; see --help")
    }
    guard task != .fences(""), task != .checkFences("") else {
      throw FleetFault(reason: "fences needs a FILE; see --help")
    }
    if let name, !Self.isName(name) {
      throw FleetFault(reason: "--name must be 1 to 64 letters, digits, -, and _")
    }
    if case .forgetSink(let name) = task, !Self.isName(name) {
      throw FleetFault(reason: "forget-sink needs a NAME, as doctor prints it; see --help")
    }
  }

  /// Takes what follows the verb of a task; returns whether that needs one more.
  private mutating func takeWord(_ word: String) -> Bool {
    let isName = !word.hasPrefix("-") || word == "-"
    switch task {
    case .sink(nil):
      guard let kind = SinkKind(rawValue: word) else { return false }
      task = .sink(kind)
    case .fences("") where !word.hasPrefix("-"): task = .fences(word)
    case .erase(let names) where names.count < 2 && isName: task = .erase(names + [word])
    case .forgetSink("") where isName: task = .forgetSink(word)
    case .tenantKey("") where isName: task = .tenantKey(word)
    default: return false
    }
    return true
  }

  private mutating func resolve(check: Bool, schema: Bool) throws(FleetFault) {
    guard task != .sink(nil) else {
      throw FleetFault(reason: "sink needs webhook, postgis, mqtt, or nats; see --help")
    }
    if schema {
      guard task == .sink(.postgis) else {
        throw FleetFault(reason: "--schema belongs to sink postgis; see --help")
      }
      task = .schema
    }
    guard check, task != .help, task != .version else { return }
    switch task {
    case .ingress: task = .checkIngress
    case .sink(let kind?): task = .checkSink(kind)
    case .fences(let path): task = .checkFences(path)
    default: task = .check
    }
  }

  private mutating func resolveErasure(all: Bool) throws(FleetFault) {
    if task == .tenantKey("") {
      throw FleetFault(reason: "tenant-key needs a TENANT, or - for none; see --help")
    }
    guard case .erase(let names) = task else {
      if case .fences = task, !all { return }
      guard !all, !isConfirmed else {
        throw FleetFault(reason: "--all belongs to erase, --yes to erase and fences; see --help")
      }
      return
    }
    guard all else {
      guard names.count == 2, !names[1].isEmpty, !names.contains("-"), !isConfirmed else {
        throw FleetFault(
          reason: "erase needs a TENANT, which may be \"\", and a DEVICE, or a TENANT and --all; "
            + "see --help")
      }
      return
    }
    // An empty word may be a variable of a script that was never set.
    guard names.count == 1, !names[0].isEmpty else {
      throw FleetFault(
        reason: "erase --all needs a TENANT, or - for devices without one, and no DEVICE; "
          + "see --help")
    }
    task = .eraseAll(names[0])
  }

  private static let tasks: [String: Task] = [
    "run": .run, "init": .initialize, "streams": .streams, "fences": .fences(""),
    "publish": .publish,
    "events": .events, "ingress": .ingress, "password": .password, "seed": .seed,
    "erase": .erase([]), "erasures": .erasures, "expire": .expire,
    "tenant-key": .tenantKey(""), "sink": .sink(nil),
    "refused": .refused, "forget-sink": .forgetSink(""), "doctor": .doctor,
    "help": .help, "version": .version,
  ]

  private static func isName(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count) && text.allSatisfy(isPlain)
  }

  private static func isPlain(_ letter: Character) -> Bool {
    letter.isASCII && (letter.isLetter || letter.isNumber || letter == "-" || letter == "_")
  }

  /// Returns the configuration of the file that was named, or of the system's if there is one.
  func configuration() throws(FleetFault) -> SinkConfiguration {
    var faults: [FleetConfiguration.Fault] = []
    guard let path = place else { return SinkConfiguration("", &faults) }
    let bytes = try Input.file(path, limit: 1 << 20)
    var configuration = SinkConfiguration(String(decoding: bytes, as: UTF8.self), &faults)
    guard faults.isEmpty else {
      throw FleetFault(
        reason: faults.map {
          // What is wrong with several settings together is in no line.
          $0.line > 0 ? "\(path):\($0.line): \($0.cause)" : "\(path): \($0.cause)"
        }.joined(separator: "\n"))
    }
    let causes = AccessFiles.faults(of: &configuration.ingress.fleet.access)
    guard causes.isEmpty else {
      throw FleetFault(reason: causes.map { "\(path): \($0)" }.joined(separator: "\n"))
    }
    return configuration
  }

  /// The file that is read; `nil` where there is none.
  var place: String? { file ?? (access(Self.systemFile, F_OK) == 0 ? Self.systemFile : nil) }

  /// What stands for the configuration in texts.
  var shownPlace: String { place ?? "the defaults" }

  private static let systemFile = "/etc/locationfleet.conf"

  static let version = "locationfleet \(Release.version)"

  static let help = """
    usage: locationfleet [run] [--config FILE] [--name NAME]
           locationfleet --check [--config FILE]
           locationfleet init [--config FILE]
           locationfleet streams [--config FILE]
           locationfleet fences FILE [--yes] [--config FILE]
           locationfleet fences --check FILE [--config FILE]
           locationfleet publish [--config FILE] < fixes.jsonl
           locationfleet events [--config FILE] > events.jsonl
           locationfleet erase TENANT DEVICE [--wait SECONDS] [--config FILE]
           locationfleet erase TENANT --all [--yes] [--wait SECONDS] [--config FILE]
           locationfleet erasures [--config FILE]
           locationfleet expire [--wait SECONDS] [--config FILE]
           locationfleet ingress [--config FILE] [--check]
           locationfleet sink webhook|postgis|mqtt|nats [--config FILE] [--name NAME] [--check]
           locationfleet sink postgis --schema [--config FILE] | psql
           locationfleet refused [--config FILE] > refused.jsonl
           locationfleet forget-sink NAME [--config FILE]
           locationfleet doctor [--json] [--config FILE]
           locationfleet password < password
           locationfleet seed > FILE
           locationfleet tenant-key TENANT [--config FILE]
           locationfleet help|version

    Judges the fixes of many devices that come by NATS JetStream, each event once.

      run             own partitions as long as others do not: read fixes, append events; the default
      init            make the streams of the fleet; those that are there stay as they are
      streams         print the streams of the fleet, with what they keep and who leads them
      fences FILE     judge by the fences of a GeoJSON file from here on; with --check only print, by
                      tenant, which fences would be new, changed, and removed
      publish         append fixes from standard input; those that it counts are kept
      events          print the events that are kept, by device
      erase           forget a device, and overwrite everything of it where it is stored; with --all
                      every device of a tenant, its fences, and its key
      erasures        print what was erased when and by whom, without names of devices
      expire          overwrite the events that tenants keep no longer
      ingress         take fixes from devices by MQTT and HTTP, also with TLS, and acknowledge what is kept
      sink KIND       hand events on, of all tenants or of those that `sink-tenant` names: to a
                      webhook, a table of PostGIS, a broker of MQTT, or another server or
                      account of NATS
      refused         print the events that sinks have set aside, and why
      forget-sink     forget how far a sink is that is used no more, under its NAME
      doctor          find out what is wrong with the fleet, and what to do next; changes nothing
      password        print what stands for a password of standard input in the file of accounts
      seed            print a new seed of a user of NATS, and its public key on standard error
      tenant-key      make the key of a tenant in the folder of `tenant-keys`
      --config FILE   read FILE instead of /etc/locationfleet.conf
      --name NAME     the worker's name in leases; the host and the process unless given. Of a sink,
                      under which it remembers how far it is; its kind unless given
      --all           with erase: all devices of the tenant; - as TENANT for those without one
      --yes           with erase --all: do not ask; with fences: also where most are removed
      --wait SECONDS  how long erase and expire wait for a worker, 60 unless given
      --check         only look at the configuration, and print file, line, and cause of each fault
      --json          with doctor: one JSON object for each finding
      --schema        print the statements of SQL that make the table of postgis

    SIGTERM hands the partitions over and ends; an ingress first acknowledges what it has taken, a sink
    waits for what is on its way. Readiness and status are sent to $NOTIFY_SOCKET.
    """
}
