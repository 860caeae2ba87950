import CLinux
package import Dispatch
import Glibc
package import LocationEngine
import LocationHost
package import LocationModel

/// Starts apps by their registrations: one file for each app in a folder of the owner.
package struct AppLauncher: AppLaunching {
  private let folder: String
  private let socket: String
  private let manager: Starter
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
  }

  /// Creates a launcher for the registrations of a folder; apps get the path of the socket.
  package init(
    folder: String, socket: String, manager: Starter, noting: @escaping @Sendable (Note) -> Void
  ) {
    self.folder = folder
    self.socket = socket
    self.manager = manager
    self.noting = noting
  }

  /// Returns the apps that have registered, in the order of their names, and notes faults.
  package func registrations() -> [LaunchRegistration] {
    guard access(folder, F_OK) == 0 else { return [] }
    if let cause = OwnedFile.intruder(on: folder) {
      noting(.store("\(cause); no app is launched"))
      return []
    }
    return SmallFile.names(in: folder).filter { $0.hasSuffix(".conf") }.compactMap { name in
      do throws(LaunchRegistration.Fault) {
        return try LaunchRegistration(file: "\(folder)/\(name)")
      } catch {
        noting(.store("\(folder)/\(name): \(error)"))
        return nil
      }
    }.sorted { $0.app < $1.app }
  }

  package func apps() -> [AppIdentity] { registrations().map(\.app) }

  /// Calls `changed` on the queue at each change, with all apps that can be launched, until the
  /// returned source is canceled.
  package func follow(
    on queue: DispatchQueue, _ changed: @escaping @Sendable ([AppIdentity]) -> Void
  ) -> (any DispatchSourceRead)? {
    let descriptor = linux_watch_directory(folder)
    guard descriptor >= 0 else { return nil }
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

  /// Returns the command that starts an app.
  package func words(of method: LaunchRegistration.Method) -> [String] {
    switch (method, manager) {
    case (.command(let words), .user(startsCommands: true)):
      ["systemd-run", "--user", "--quiet", "--collect"] + news.map { "--setenv=\($0)=\($1)" }
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
  private var news: [(String, String)] {
    [(DaemonSocket.variable, socket), (Self.variable, "location")]
  }

  /// The daemon's own environment, without the variables that systemd set for the daemon only.
  private var environment: [String] {
    var variables = HostEnvironment.current.variables
    for name in ServiceSupervisor.variables { variables[name] = nil }
    for (name, value) in news { variables[name] = value }
    return variables.map { "\($0.key)=\($0.value)" }.sorted()
  }
}
