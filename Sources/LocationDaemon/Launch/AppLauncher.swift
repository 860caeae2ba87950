import CLinux
package import Dispatch
import Glibc
package import LocationEngine
import LocationHost
package import LocationModel

/// Starts apps by their registrations: one file for each app, by the owner, by a package, or as the
/// app's entry in the menu of the desktop.
package struct AppLauncher: AppLaunching {
  private let folders: [Folder]
  private let socket: String
  private let manager: Starter
  private let units: UnitFreezer
  private let noting: @Sendable (Note) -> Void

  /// The variable that shows a program that it was started for a location event (LIFE-1).
  package static let variable = "LOCATIOND_LAUNCH"

  /// The service manager that starts apps.
  package enum Starter: Hashable, Sendable {
    /// The system's, which starts units; commands are children of the daemon.
    case system
    /// The user's. If it has started the daemon, it also starts commands; then the sandbox of the
    /// daemon's unit does not confine them, and they outlive the daemon.
    case user(startsCommands: Bool)

    /// Where it is asked to freeze and thaw units.
    fileprivate var units: UnitFreezer.Address {
      switch self {
      case .system: .system
      case .user: .user(bus: SessionBus.address(HostEnvironment.current.variables))
      }
    }
  }

  /// A folder with registrations.
  package enum Folder: Hashable, Sendable {
    /// Files ending in `.conf` (docs/formats/launch.md).
    case registrations(String)
    /// Desktop entries; those count that say so.
    case desktopEntries(String)

    fileprivate var path: String {
      switch self {
      case .registrations(let path), .desktopEntries(let path): path
      }
    }

    fileprivate var ending: String {
      switch self {
      case .registrations: ".conf"
      case .desktopEntries: ".desktop"
      }
    }

    /// Where packages put registrations.
    package static let ofPackages: [Folder] = [
      .registrations("/usr/local/lib/locationd/launch"),
      .registrations("/usr/lib/locationd/launch"),
    ]

    /// Where the desktop finds its entries, the user's own first.
    package static func ofDesktop(_ variables: [String: String]) -> [Folder] {
      let home = variables["XDG_DATA_HOME"] ?? variables["HOME"].map { "\($0)/.local/share" }
      let others = variables["XDG_DATA_DIRS"].flatMap { $0.isEmpty ? nil : $0 }
      let folders =
        [home ?? ""]
        + (others ?? "/usr/local/share:/usr/share").split(separator: ":")
        .map(String.init)
      return folders.filter { $0.hasPrefix("/") }.map { .desktopEntries("\($0)/applications") }
    }
  }

  /// Creates a launcher for the registrations of some folders; the first that names an app counts.
  /// Apps get the path of the socket.
  package init(
    folders: [Folder], socket: String, manager: Starter,
    noting: @escaping @Sendable (Note) -> Void
  ) {
    self.folders = folders
    self.socket = socket
    self.manager = manager
    units = UnitFreezer(manager.units)
    self.noting = noting
  }

  /// Returns the apps that have registered, in the order of their names, and notes faults.
  package func registrations() -> [LaunchRegistration] {
    var known: Set<AppIdentity> = []
    return folders.flatMap { registrations(in: $0) }
      .filter { known.insert($0.app).inserted }.sorted { $0.app < $1.app }
  }

  private func registrations(in folder: Folder) -> [LaunchRegistration] {
    guard access(folder.path, F_OK) == 0 else { return [] }
    if let cause = OwnedFile.intruder(on: folder.path) {
      noting(.store("\(cause); no app is launched by what is in \(folder.path)"))
      return []
    }
    let names = SmallFile.names(in: folder.path).filter { $0.hasSuffix(folder.ending) }
    return names.prefix(Self.mostFiles).compactMap { name in
      let file = "\(folder.path)/\(name)"
      do throws(LaunchRegistration.Fault) {
        switch folder {
        case .registrations: return try LaunchRegistration(file: file)
        case .desktopEntries: return try DesktopEntry(file: file)?.registration()
        }
      } catch {
        noting(.store("\(file): \(error)"))
        return nil
      }
    }
  }

  /// The most files of a folder that are read. Chosen: many times what a desktop installs.
  package static let mostFiles = 2048

  package func starters() -> [AppIdentity: String] {
    registrations().reduce(into: [:]) { $0[$1.app] = $1.method.description }
  }

  /// Calls `changed` on the queue at each change, with all apps that can be launched, until the
  /// returned source is canceled.
  package func follow(
    on queue: DispatchQueue, _ changed: @escaping @Sendable ([AppIdentity]) -> Void
  ) -> (any DispatchSourceRead)? {
    let descriptor = linux_open_watches()
    guard descriptor >= 0 else { return nil }
    let watches = folders.map { linux_add_folder_watch(descriptor, $0.path) }
    guard watches.contains(where: { $0 >= 0 }) else {
      close(descriptor)
      return nil
    }
    let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
    source.setCancelHandler { close(descriptor) }
    source.setEventHandler {
      _ = linux_drain_watch(descriptor, "")
      changed(apps())
    }
    source.activate()
    return source
  }

  /// Starts the app if the registered program is the one that holds its identifier. If the app
  /// does not connect afterward, its absence shows that.
  package func launch(_ app: AppIdentity, heldBy program: String?) {
    guard let registration = registrations().first(where: { $0.app == app }) else { return }
    if let obstacle = registration.obstacle(heldBy: program) {
      return noting(.launched(app, obstacle))
    }
    let words = words(of: registration.method)
    let code = ChildProcess.start(words, environment)
    noting(.launched(app, code == 0 ? nil : Errno(code: code, call: words[0]).description))
  }

  /// Whether an app that a signal has stopped may be continued for an event.
  package func mayContinue(_ app: AppIdentity) -> Bool {
    registrations().first { $0.app == app }?.continues ?? false
  }

  package func freeze(
    _ unit: String, _ isFrozen: Bool, _ answer: @escaping @Sendable (String?) -> Void
  ) { units.freeze(unit, isFrozen, answer) }

  /// Returns the command that starts an app.
  package func words(of method: LaunchRegistration.Method) -> [String] {
    switch (method, manager) {
    case (.command(let words), .user(startsCommands: true)):
      ["systemd-run", "--user", "--quiet", "--collect"] + additions.map { "--setenv=\($0)=\($1)" }
        + ["--"] + words.prefix(1) + words.dropFirst().map(Self.escaped)
    case (.command(let words), .system), (.command(let words), .user): words
    case (.unit(let name), .system): ["systemctl", "--no-block", "start", name]
    case (.unit(let name), .user): ["systemctl", "--user", "--no-block", "start", name]
    }
  }

  /// Escapes a word so that systemd finds no variable in it.
  private static func escaped(_ word: String) -> String {
    word.split(separator: "$", omittingEmptySubsequences: false).joined(separator: "$$")
  }

  /// Variables added to the environment of an app that is started.
  private var additions: [(String, String)] {
    [(DaemonSocket.variable, socket), (Self.variable, "location")]
  }

  /// The environment of an app, or of the service manager's command that starts it.
  private var environment: [String] {
    var variables = LaunchEnvironment.kept(
      of: HostEnvironment.current.variables, isUsers: manager != .system)
    for (name, value) in additions { variables[name] = value }
    return variables.map { "\($0.key)=\($0.value)" }.sorted()
  }
}
