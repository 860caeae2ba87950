import Glibc
import LocationCoding
import LocationHost
import LocationLink
import LocationModel

/// The daemon of this machine or this user, for requests of its owner.
struct RunningDaemon {
  let socket: String
  /// The name of the app with an engine of its own; `nil` for a daemon.
  private let app: String?
  private let caller: DaemonCaller

  /// The daemon in use; `nil` when apps run an engine of their own.
  static func find(_ environment: HostEnvironment = .current) throws(Failure) -> RunningDaemon? {
    guard let socket = DaemonSocket.inUse(environment.variables) else { return nil }
    return try RunningDaemon(at: socket)
  }

  /// The daemon in use.
  ///
  /// - Throws: that there is none, and how to start one.
  static func needed() throws(Failure) -> RunningDaemon {
    guard let daemon = try find() else {
      throw .refused("no location daemon is running", next: howToStart)
    }
    return daemon
  }

  static let howToStart =
    "systemctl start locationd.socket, or systemctl --user start locationd.socket, or by hand: "
    + "locationd"

  /// That a daemon has the position, for commands that use sources of their own.
  static func hasSources(at socket: String) -> Failure {
    .refused(
      "the location daemon at \(socket) has the sources of this computer",
      next: command(at: socket) + " watch; or name a source of this command: --source URL")
  }

  /// Whether this user, or root, runs the daemon behind a socket as who types.
  static func isOwn(_ socket: String) -> Bool {
    var status = stat()
    return getuid() == 0 || stat(socket, &status) == 0 && status.st_uid == getuid()
  }

  /// The command that starts the daemon at a socket anew.
  static func restart(at socket: String) -> String {
    socket == DaemonSocket.ofSystem
      ? "sudo systemctl restart locationd" : "systemctl --user restart locationd"
  }

  /// How the person who types begins a command that a daemon takes from its owner alone.
  ///
  /// - Parameters:
  ///   - socket: where the daemon answers.
  ///   - variables: the environment: behind sudo the next command needs it again.
  /// - Returns: `locationctl`, with `sudo` in front where that is needed.
  static func command(
    at socket: String, _ variables: [String: String] = HostEnvironment.current.variables
  ) -> String {
    let isBehindSudo =
      socket == DaemonSocket.ofSystem && getuid() == 0 && variables["SUDO_UID"] != nil
    return isOwn(socket) && !isBehindSudo ? "locationctl" : "sudo locationctl"
  }

  /// The daemon behind a socket, or one app with an engine of its own, which has a name.
  init(at socket: String, app: String? = nil) throws(Failure) {
    self.socket = socket
    self.app = app
    do throws(DaemonCaller.Fault) { caller = try DaemonCaller(at: socket) } catch {
      throw Self.failure(error, socket, app)
    }
  }

  private func failure(_ fault: DaemonCaller.Fault) -> Failure {
    Self.failure(fault, socket, app)
  }

  private static func failure(
    _ fault: DaemonCaller.Fault, _ socket: String, _ app: String?
  ) -> Failure {
    app.map { Failure(fault, ofApp: $0) } ?? Failure(fault, socket)
  }

  func ask<Value: JSONCodable>(
    _ request: AdministrationRequest, _ name: String, as type: Value.Type = Value.self
  ) throws(Failure) -> Value {
    do throws(DaemonCaller.Fault) { return try caller.ask(request, name) } catch {
      throw failure(error)
    }
  }

  func perform(_ request: AdministrationRequest) throws(Failure) {
    do throws(DaemonCaller.Fault) { _ = try caller.ask(request) } catch {
      throw failure(error)
    }
  }

  /// What was decided about an app.
  func decide(
    _ app: AppIdentity, level: String?, precise: Bool?, beacon: Bool?
  ) throws(Failure) -> AuthorizationDecision {
    do {
      return try AuthorizationDecision(
        json: caller.ask(
          .authorize(app: app.name, level: level, precise: precise, beacon: beacon)))
    } catch let fault as DaemonCaller.Fault {
      throw failure(fault)
    } catch { throw failure(.garbled("\(error)")) }
  }

  /// Receives one reply after the other until `continuation` returns `false`, there is no more, or the time
  /// is over.
  func follow<Value: JSONCodable>(
    _ request: AdministrationRequest, _ name: String, seconds: Double? = nil,
    _ continuation: (Value) -> Bool
  ) throws(Failure) {
    do throws(DaemonCaller.Fault) {
      try caller.follow(request, name, seconds: seconds, continuation)
    } catch { throw failure(error) }
  }
}

extension Failure {
  init(_ fault: DaemonCaller.Fault, _ socket: String) {
    self =
      switch fault {
      case .away(let reason):
        .refused(
          "the location daemon does not answer at \(socket): \(reason)",
          next: RunningDaemon.howToStart)
      case .silent:
        .refused(
          "the location daemon does not answer at \(socket): nothing came within two seconds",
          next:
            "journalctl -u locationd -n 20 (with --user for your own) says why; locationd --check looks at "
            + "its configuration")
      case .notOwner(let refusal):
        .refused(
          "the location daemon at \(socket) refuses: \(refusal.reason)",
          next: refusal.next ?? "the same with sudo")
      case .refused(let reason, let next):
        .refused(
          "the location daemon refuses: \(reason)",
          next: next.map { next in
            next.hasPrefix("locationctl ")
              ? RunningDaemon.command(at: socket) + next.dropFirst("locationctl".count) : next
          })
      case .unknownMethod(let method):
        .refused(
          "the location daemon at \(socket) is older than this program: it does not know \(method)",
          next: "install both from the same version, then: \(RunningDaemon.restart(at: socket))")
      case .garbled(let what):
        .refused(
          "what answers at \(socket) is no location daemon that this program understands: \(what)",
          next: "check $LOCATIOND_SOCKET")
      }
  }

  /// Why an app with an engine of its own does not do what it was asked.
  fileprivate init(_ fault: DaemonCaller.Fault, ofApp app: String) {
    self =
      switch fault {
      case .away(let reason):
        .refused("\(app) does not answer: \(reason)", next: "start the app, if it has ended")
      case .silent: .refused("\(app) does not answer", next: "look whether it is stopped")
      case .notOwner(let refusal):
        .refused("\(app) refuses: \(refusal.reason)", next: refusal.next)
      case .refused(let reason, let next): .refused("\(app) refuses: \(reason)", next: next)
      case .unknownMethod, .garbled:
        .refused(
          "\(app) does not understand this program",
          next: "build the app with the version of CoreLocation that this program is of")
      }
  }
}
