import Glibc
import LocationHost
import LocationLink
import LocationModel

/// A registration in the folder of the daemon in use (docs/formats/launch.md).
struct StoredRegistration {
  var app: AppIdentity
  /// What starts it, for a person.
  var starter = ""
  /// Its path.
  var file: String
  private var text = ""

  /// The registration of an app, as it may be there already.
  init(of app: AppIdentity) {
    self.app = app
    file = "\(Self.folder())/\(Self.name(of: app)).conf"
  }

  /// A registration to be written.
  ///
  /// - Throws: what of it cannot be written.
  init(_ app: InstalledApp, _ arguments: [String], unit: String?, continues: Bool) throws(Failure) {
    self.init(of: app.identity)
    guard let path = app.path, access(path, X_OK) == 0, Self.isFile(path) else {
      throw .refused(
        "\(app.path ?? app.identity.name) is no program", next: "name the app's executable")
    }
    let words = unit.map { [$0] } ?? [path] + arguments
    if let word = words.first(where: { word in
      word.isEmpty || word.contains { $0.isWhitespace || $0 == "#" || $0.asciiValue ?? 32 < 32 }
    }) {
      throw .refused(
        "\"\(word.escapedForDisplay())\" cannot be in a registration: it is empty, or has a "
          + "space or #", next: "write a unit, and register that with --unit")
    }
    let name = app.identity.path == nil ? "\(app.identity.base)=\(path)" : app.identity.base
    starter = unit.map { "unit \($0)" } ?? words.joined(separator: " ")
    text = """
      # By locationctl apps register.
      app = \(name)
      \(unit == nil ? "command" : "unit") = \(words.joined(separator: " "))
      \(continues ? "continue = yes\n" : "")
      """
  }

  private static func isFile(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// Writes it whole, and returns whether another one was there.
  func write() throws(Failure) -> Bool {
    let wasThere = access(file, F_OK) == 0
    let folder = Self.folder()
    do throws(Errno) { try StateFolder(path: folder).create() } catch { throw refusal("\(error)") }
    let new = "\(folder)/.\(getpid()).new"
    let descriptor = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw refusal(Errno(last: "create \(new)").description) }
    let bytes = [UInt8](text.utf8)
    let isWritten = Glibc.write(descriptor, bytes, bytes.count) == bytes.count
    guard isWritten, fsync(descriptor) == 0, close(descriptor) == 0, rename(new, file) == 0 else {
      let cause = Errno(last: "write \(file)").description
      unlink(new)
      throw refusal(cause)
    }
    return wasThere
  }

  /// Removes it.
  func remove() throws(Failure) {
    guard unlink(file) != 0 else { return }
    guard errno == ENOENT else { throw refusal(Errno(last: "remove \(file)").description) }
    throw .refused(
      "there is no registration \(file); one of a package or of the desktop's menu is removed with "
        + "that", next: "locationctl apps")
  }

  private func refusal(_ cause: String) -> Failure {
    .refused(cause, next: getuid() == 0 ? nil : "the same with sudo, for a daemon of the system")
  }

  /// The folder of the daemon that runs, else of the one that this user would start.
  private static func folder() -> String {
    if let daemon = try? RunningDaemon.find(),
      let status: DaemonStatus = try? daemon.ask(.status(places: false), "status"),
      let folder = status.launch
    {
      return folder
    }
    let variables = HostEnvironment.current.variables
    let user = variables["XDG_CONFIG_HOME"] ?? variables["HOME"].map { "\($0)/.config" }
    guard getuid() != 0, let user else { return "/etc/locationd/launch" }
    return "\(user)/meridian/launch"
  }

  private static func name(of app: AppIdentity) -> String {
    String(app.base.drop { $0 == "/" }.map { $0 == "/" ? "-" : $0 }.suffix(200))
  }
}
