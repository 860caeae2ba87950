internal import LocationCoding
package import LocationHost
import LocationService
package import LocationEngine
package import LocationModel
package import LocationProviders

/// The settings of a daemon from its configuration file and its command line.
///
/// A file has one `key = value` on a line; `#` begins a comment.
package struct Configuration: Hashable, Sendable {
  /// Sources in the order of preference; if empty, gpsd on this machine is used.
  package var sources: [Source] = []
  /// The path of the socket; `nil` for the user's or the system's own place.
  package var socket: String?
  /// The folder of the durable state; `nil` for the user's or the system's own place.
  package var state: String?
  /// The folder of launch registrations; `nil` for the user's or the system's own place.
  package var launch: String?
  /// Folders in which Flatpak installs apps, beside the system's and each user's own.
  package var flatpaks: [String] = []
  package var limits = SocketServer.Limits()
  /// The agents to ask, in this order; `nil` for the policy files that exist, then notifications.
  package var agents: [AgentChoice]?
  /// The programs that may answer for a person, or administer.
  package var trusted = TrustedPrograms()
  /// Apps whose authorization is not the person's to change (AUTH-3).
  package var restricted: [AppIdentity] = []
  /// Apps that are started for no event (STD-53).
  package var withoutRefresh: [AppIdentity] = []
  /// Whether an app that the person ended is started for no event (LIFE-4).
  package var honorsQuit = false
  /// Whether the owner may set the place from outside (SIM-15); `nil` for a user's daemon only.
  package var allowsSimulation: Bool?
  /// Whether paused updates resume only when the app starts them again (STD-42).
  package var pauseNeedsRestart = false
  /// The longest time without a significant change at rest; `nil` for no limit (SLC-11).
  package var heartbeat: Duration?
  /// Days of use in the background until a person is reminded; `nil` for never (AUTH-38).
  package var remindAfter: Int?
  /// Whether apps are started only after their user's first unlock (LIFE-7).
  package var awaitsUnlock = false
  /// `observed` or `assumed`: which apps are in use; `nil` for what the environment says.
  package var use: String?
  /// Whether programs that ask GeoClue on the bus of the system are served (GEOCLUE-1).
  package var servesGeoClue = false
  /// The port of this computer at which gpsd's programs are served; `nil` for none (SERVE-1).
  package var gpsdPort: Int?
  /// The ingress of a fleet to which fixes are sent; `nil` for none (UPLINK-1).
  package var uplink: UplinkSettings?
  private var uplinkValues: [String: String] = [:]
  /// The keys that were set so far.
  private var taken: Set<String> = []
  /// How much one app may monitor.
  package var conditions = Conditions.Limits()
  /// The retention of data that reveals where the device was. Chosen: a day, a season, a month.
  package var keeping = RetentionTerms(
    position: .seconds(86_400), visits: .seconds(90 * 86_400), access: .seconds(30 * 86_400))

  package init() {}

  package typealias Fault = FileFault

  /// Reads a file, and reports every fault in it, not only the first.
  package static func read(
    _ text: String, file: String
  ) -> (configuration: Configuration, faults: [Fault]) {
    var configuration = Configuration()
    let faults = KeyValueLines.read(text) { configuration.take($0, $1) }
      .map { Fault(file: file, line: $0.line, cause: $0.cause) }
    guard faults.isEmpty, !configuration.uplinkValues.isEmpty else {
      return (configuration, faults)
    }
    switch UplinkSettings.read(configuration.uplinkValues) {
    case .success(let uplink): configuration.uplink = uplink
    case .failure(let fault):
      return (configuration, [Fault(file: file, line: 0, cause: fault.reason)])
    }
    return (configuration, [])
  }

  /// Reads the file at a path.
  package static func read(file: String) -> (configuration: Configuration, faults: [Fault]) {
    do throws(OwnedFile.Fault) {
      let bytes = try OwnedFile.read(file, limit: 1 << 20)
      return read(String(decoding: bytes, as: UTF8.self), file: file)
    } catch {
      return (Configuration(), [Fault(file: file, line: 0, cause: error.description)])
    }
  }

  /// The keys that may stand on several lines.
  private static let repeated: Set = [
    "source", "agent", "agent-program", "owner-program", "flatpak-installation", "restrict",
    "no-background-refresh",
  ]

  /// Applies a setting and returns what is wrong with it, or `nil`.
  private mutating func take(_ key: String, _ value: String) -> String? {
    guard Self.repeated.contains(key) || taken.insert(key).inserted else {
      return "`\(key)` is set already, on a line above"
    }
    switch key {
    case "source":
      do throws(SourceFault) {
        sources.append(try Source(url: value))
        return nil
      } catch { return "\(error)" }
    case "socket": return Self.set(&socket, value, "socket")
    case "state": return Self.set(&state, value, "state")
    case "launch": return Self.set(&launch, value, "launch")
    case "clients": return Self.set(&limits.room.clients, value, in: 1...100_000, "clients")
    case "clients-per-user":
      return Self.set(&limits.room.clientsPerUser, value, in: 1...100_000, "clients-per-user")
    case "clients-per-app":
      return Self.set(&limits.room.clientsPerApp, value, in: 1...100_000, "clients-per-app")
    case "agent": return addAgent(value)
    case "agent-program": return Self.add(value, to: &trusted.agents, "agent-program")
    case "owner-program": return Self.add(value, to: &trusted.owners, "owner-program")
    case "flatpak-installation":
      var folder: String?
      defer { flatpaks += [folder].compactMap(\.self) }
      return Self.set(&folder, value, "flatpak-installation")
    case "conditions-per-app":
      guard let limits = Conditions.Limits(perApp: value) else {
        return "`conditions-per-app` must be a number above 0, or unlimited"
      }
      conditions = limits
      return nil
    case "keep-position": return Self.set(&keeping.position, value, "keep-position")
    case "keep-visits": return Self.set(&keeping.visits, value, "keep-visits")
    case "keep-access": return Self.set(&keeping.access, value, "keep-access")
    default:
      if Self.appKeys.contains(key) { return takeApp(key, value) }
      if UplinkSettings.keys.contains(key) {
        uplinkValues[key] = value
        return UplinkSettings.fault(of: key, value)
      }
      return "unknown key `\(key)`; known are source, socket, state, launch, clients, "
        + "clients-per-user, clients-per-app, agent, agent-program, owner-program, "
        + "flatpak-installation, \((Self.appKeys + UplinkSettings.keys).joined(separator: ", ")), "
        + "conditions-per-app, keep-position, keep-visits, keep-access"
    }
  }

  /// The environment of the daemon, with what the configuration sets in its place.
  package func environment(_ variables: [String: String]) -> HostEnvironment {
    HostEnvironment(variables.merging(use.map { [HostEnvironment.useVariable: $0] } ?? [:]) { $1 })
  }

  /// Registers a program.
  private static func add(_ value: String, to list: inout [String], _ key: String) -> String? {
    guard value.hasPrefix("/") else { return "`\(key)` must be an absolute path" }
    guard list.count < mostPrograms else { return "`\(key)` names more than \(mostPrograms)" }
    list.append(value)
    return nil
  }

  /// The greatest number of programs of one role; each is checked for each call. Chosen.
  package static let mostPrograms = 32

  private mutating func addAgent(_ value: String) -> String? {
    guard value != "none" else {
      agents = agents ?? []
      return nil
    }
    do throws(AgentChoice.Fault) {
      let choice = try AgentChoice(value)
      agents = (agents ?? []) + [choice]
      guard case .policy(let path) = choice else { return nil }
      return PolicyAgent.faults(in: path).first?.description
    } catch { return "\(error)" }
  }

  /// Checks for faults that let the daemon serve, but differently from what the owner meant.
  ///
  /// - Throws: `DaemonFault` with the programs that are registered and not trusted, and the files of the
  ///   uplink that cannot be used.
  package func check() throws(DaemonFault) {
    var faults = trusted.faults
    do throws(UplinkFault) { _ = try uplink?.request() } catch { faults.append(error.reason) }
    guard faults.isEmpty else { throw DaemonFault(reason: faults.joined(separator: "\n")) }
  }

  /// Returns the agents in the environment of this process; connected agents come after the
  /// policies, or after all that are configured.
  func prompters(_ variables: [String: String], connected: LinkAgents) -> [any PromptAgent] {
    let first = (agents ?? AgentChoice.policies(variables)).map { $0.agent(variables) }
    let last = agents == nil ? [AgentChoice.notification.agent(variables)] : []
    return first + [connected] + last
  }

  /// Parses a number followed by `h` or `d`, or `forever`.
  private static func set(_ place: inout Duration?, _ value: String, _ key: String) -> String? {
    guard value != "forever" else {
      place = .seconds(longest)
      return nil
    }
    let units = ["h": 3600, "d": 86_400]
    guard let unit = units[String(value.suffix(1))], let number = Int(value.dropLast()),
      number > 0, number * unit <= longest
    else {
      return "`\(key)` must be a number of hours or days, such as 12h or 30d, or forever"
    }
    place = .seconds(number * unit)
    return nil
  }

  /// The longest retention in seconds: a hundred years.
  private static let longest = 100 * 365 * 86_400

  private static func set(_ place: inout String?, _ value: String, _ key: String) -> String? {
    guard value.hasPrefix("/") else { return "`\(key)` must be an absolute path" }
    place = value
    return nil
  }

  private static func set(
    _ place: inout Int, _ value: String, in range: ClosedRange<Int>, _ key: String
  ) -> String? {
    guard let number = Int(value), range.contains(number) else {
      return "`\(key)` must be a number from \(range.lowerBound) to \(range.upperBound)"
    }
    place = number
    return nil
  }
}
