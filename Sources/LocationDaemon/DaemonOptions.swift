import Glibc
import LocationEngine
import LocationHost
import LocationModel
import LocationService
import LocationProviders

/// The command line of the daemon.
package struct DaemonOptions: Hashable, Sendable {
  /// What the command line asks for.
  package enum Task: Hashable, Sendable {
    case serve
    /// Only check the configuration.
    case check
    case help
    case version
  }

  package var task = Task.serve
  private var file: String?
  private var sources: [String] = []
  private var socket: String?
  private var state: String?
  private var servesGeoClue = false
  /// Whether the daemon serves the whole machine, not one user.
  private(set) var isSystem: Bool

  /// Parses the arguments after the name of the program.
  package init(
    _ arguments: some Sequence<String>, isRoot: Bool = getuid() == 0
  ) throws(DaemonFault) {
    isSystem = isRoot
    var rest = Array(arguments)[...]
    while let argument = rest.popFirst() {
      func value() throws(DaemonFault) -> String {
        guard let value = rest.popFirst() else {
          throw DaemonFault(reason: "\(argument) needs a value; see --help")
        }
        return value
      }
      switch argument {
      case "--config": file = try value()
      case "--source": sources.append(try value())
      case "--socket": socket = try value()
      case "--state": state = try value()
      case "--system": isSystem = true
      case "--geoclue": servesGeoClue = true
      case "--check": task = .check
      case "--help", "-h": task = .help
      case "--version": task = .version
      default: throw DaemonFault(reason: "unknown argument \(argument); see --help")
      }
    }
  }

  /// Returns the configuration of the file; options of the command line replace its values.
  package func configuration(_ variables: [String: String]) throws(DaemonFault) -> Configuration {
    var configuration = Configuration()
    if let path = configurationFile(variables) {
      let (read, faults) = Configuration.read(file: path)
      guard faults.isEmpty else {
        throw DaemonFault(reason: faults.map(\.description).joined(separator: "\n"))
      }
      configuration = read
    }
    let named =
      sources.isEmpty && configuration.sources.isEmpty
      ? variables[HostEnvironment.sourcesVariable]?.split(separator: " ").map(String.init) ?? []
      : sources
    do throws(SourceFault) {
      if !named.isEmpty { configuration.sources = [] }
      for url in named { configuration.sources.append(try Source(url: url)) }
    } catch { throw DaemonFault(reason: "\(error)") }
    configuration.socket = socket ?? configuration.socket
    configuration.state = state ?? configuration.state
    configuration.servesGeoClue = servesGeoClue || configuration.servesGeoClue
    return configuration
  }

  /// Looks at the configuration as the service would: that of the machine, for root, as the user of its unit,
  /// whose rights this process then has.
  ///
  /// - Parameter variables: the environment.
  /// - Returns: that there is no fault, for a person.
  /// - Throws: `DaemonFault` with the faults.
  package func check(_ variables: [String: String]) throws(DaemonFault) -> String {
    let file = configurationFile(variables) ?? "the command line"
    let user = isSystem && getuid() == 0 ? Self.become(Self.serviceUser) : nil
    do throws(DaemonFault) { try configuration(variables).check() } catch {
      let role = user.map { "\nlooked at as user \($0), as whom the service runs" } ?? ""
      throw DaemonFault(reason: error.reason + role, status: error.status)
    }
    return "\(file): no faults" + (user.map { ", also for user \($0) of the service" } ?? "")
  }

  /// Takes the rights of a user, for good; returns its name, or `nil` where there is no such user.
  private static func become(_ name: String) -> String? {
    guard let user = getpwnam(name)?.pointee, user.pw_uid != 0 else { return nil }
    guard initgroups(name, user.pw_gid) == 0, setgid(user.pw_gid) == 0, setuid(user.pw_uid) == 0
    else { return nil }
    return name
  }

  /// The user of the service of the machine (`sysusers.d/locationd.conf`).
  package static let serviceUser = "locationd"

  /// Returns the file that was named, else the system's or the user's own if it exists: one that exists and cannot be
  /// read is a fault, as what it restricts would not be restricted. A user's
  /// daemon does not read the system's file: its socket and state are not meant for it.
  package func configurationFile(_ variables: [String: String]) -> String? {
    if let file { return file }
    let own = isSystem ? Self.systemFile : userFolder(variables).map { $0 + "/locationd.conf" }
    return own.flatMap { access($0, F_OK) == 0 ? $0 : nil }
  }

  func socket(_ variables: [String: String]) -> String {
    isSystem ? DaemonSocket.ofSystem : DaemonSocket.ofUser(variables) ?? DaemonSocket.ofSystem
  }

  /// Returns the folder that systemd has created, else the system's or the user's own.
  func stateFolder(_ variables: [String: String]) -> String {
    // The second one is that of the keys.
    let made = variables["STATE_DIRECTORY"]?.split(separator: ":").first.map(String.init)
    if let made, made.hasPrefix("/") { return made }
    let user = isSystem ? nil : StateFolder.ofUser(variables)
    return (user ?? .ofSystem).path
  }

  /// Returns the folder with the launch registrations of apps (docs/formats/launch.md).
  func launchFolder(_ variables: [String: String]) -> String {
    let user = isSystem ? nil : userFolder(variables)
    return user.map { $0 + "/launch" } ?? Self.systemLaunch
  }

  /// The user's configuration folder; `nil` if neither variable is set.
  private func userFolder(_ variables: [String: String]) -> String? {
    func named(_ variable: String) -> String? {
      variables[variable].flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
    let home = named("XDG_CONFIG_HOME") ?? named("HOME").map { $0 + "/.config" }
    return home.map { $0 + "/meridian" }
  }

  private static let systemFile = "/etc/locationd.conf"
  private static let systemLaunch = "/etc/locationd/launch"

  package static let version = "locationd \(Release.version)"

  package static let help = """
    usage: locationd [--system] [--config FILE] [--source URL]… [--socket PATH] [--state FOLDER]
                     [--geoclue]
           locationd --check [--system] [--config FILE]
           locationd --version

    Serves the location of this machine to all of its apps, each as far as it may know.

      --system        serve the whole machine instead of one user; the default for root
      --config FILE   read FILE; for the system /etc/locationd.conf, else
                      $XDG_CONFIG_HOME/meridian/locationd.conf, where it is there
      --source URL    where fixes come from, instead of the configured sources; may be repeated
      --socket PATH   listen at PATH; for the system /run/locationd/locationd.sock, else
                      $XDG_RUNTIME_DIR/locationd.sock
      --state FOLDER  keep the state in FOLDER; for the system /var/lib/locationd, else
                      $XDG_STATE_HOME/meridian
      --geoclue       serve programs that ask GeoClue (org.freedesktop.GeoClue2 on the system bus), too
      --check         only look at the configuration, and print file, line, and cause of each fault;
                      root looks at that of the system as user locationd, as whom the service runs

    With `uplink` in the configuration fixes go to the ingress of a fleet: locationd(8), UPLINK.

    SIGHUP reads the configuration again, SIGTERM ends. Sockets of systemd (LISTEN_FDS) are used;
    readiness and watchdog messages are sent to $NOTIFY_SOCKET.
    """
}
