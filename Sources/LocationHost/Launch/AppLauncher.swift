import CLinux
import Dispatch
import Glibc
package import LocationEngine
import LocationModel

/// Starts apps by what they have registered: one file for each in a folder of the owner.
package struct AppLauncher: Sendable {
  private let folder: String
  private let socket: String
  private let noting: @Sendable (Note) -> Void

  /// What tells a program that it was started for an event of location (LIFE-1).
  package static let variable = "LOCATIOND_LAUNCH"

  /// Registrations of a folder; the apps are sent to the socket.
  package init(folder: String, socket: String, noting: @escaping @Sendable (Note) -> Void) {
    self.folder = folder
    self.socket = socket
    self.noting = noting
  }

  /// The apps that have registered, in the order of their names; what is wrong is noted.
  package func registrations() -> [LaunchRegistration] {
    var status = stat()
    guard stat(folder, &status) == 0 else { return [] }
    guard LaunchRegistration.isSafe(status) else {
      noting(.store("\(folder): others than its owner can write there; no app is launched"))
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

  /// Calls `changed` on the queue at each change, with all apps that can be launched; until the
  /// source that it returns is canceled.
  func follow(
    on queue: DispatchQueue, _ changed: @escaping @Sendable ([AppIdentity]) -> Void
  ) -> (any DispatchSourceRead)? {
    let descriptor = linux_watch_directory(folder)
    guard descriptor >= 0 else { return nil }
    let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
    source.setCancelHandler { close(descriptor) }
    source.setEventHandler {
      _ = linux_drain_watch(descriptor, "")
      changed(registrations().map(\.app))
    }
    source.activate()
    return source
  }

  /// Starts the app; that it does not come is found out by its absence.
  func launch(_ app: AppIdentity) {
    guard let registration = registrations().first(where: { $0.app == app }) else { return }
    let words: [String] =
      switch registration.method {
      case .command(let words): words
      case .unit(let name):
        ["systemctl"] + (getuid() == 0 ? [] : ["--user"]) + ["--no-block", "start", name]
      }
    let code = spawn(words, environment)
    noting(.launched(app, code == 0 ? nil : Errno(code: code, call: words[0]).description))
  }

  /// The daemon's own, without what systemd tells the daemon alone.
  private var environment: [String] {
    var variables = HostEnvironment.current.variables
    for name in ServiceSupervisor.variables { variables[name] = nil }
    variables[DaemonSocket.variable] = socket
    variables[Self.variable] = "location"
    return variables.map { "\($0.key)=\($0.value)" }.sorted()
  }

  /// Starts a program as the leader of a session of its own; an errno, or 0.
  private func spawn(_ words: [String], _ environment: [String]) -> Int32 {
    var (words, environment) = (SpawnWords.block(words), SpawnWords.block(environment))
    var process: Int32 = 0
    let code = linux_spawn(&words, &environment, nil, &process)
    if code == 0 { reapAtItsEnd(process) }
    return code
  }

  private func reapAtItsEnd(_ process: Int32) {
    let descriptor = linux_open_process(process)
    guard descriptor >= 0 else { return }
    let end = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .global())
    end.setEventHandler {
      _ = linux_reap(process)
      end.cancel()
    }
    end.setCancelHandler { close(descriptor) }
    end.activate()
  }
}
