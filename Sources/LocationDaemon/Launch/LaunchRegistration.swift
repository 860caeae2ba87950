import Glibc
internal import LocationCoding
import LocationHost
package import LocationModel

/// How an app is started when it does not run and an event is pending (docs/formats/launch.md).
package struct LaunchRegistration: Hashable, Sendable {
  package enum Method: Hashable, Sendable, CustomStringConvertible {
    /// A program by its absolute path, and its arguments.
    case command([String])
    /// A unit of systemd: the user's, or the system's for root.
    case unit(String)

    package var description: String {
      switch self {
      case .command(let words): words.joined(separator: " ")
      case .unit(let name): "unit \(name)"
      }
    }
  }

  package var app: AppIdentity
  /// The program that must hold the app's identifier; `nil` for the one that is started.
  package var holder: String?
  package var method: Method
  /// Whether the app may be continued for an event while a signal has stopped it.
  package var continues = false

  /// Why a file contains no valid registration.
  package struct Fault: Error, Hashable, Sendable, CustomStringConvertible {
    package var description: String
  }

  init(app: AppIdentity, holder: String?, method: Method) {
    (self.app, self.holder, self.method) = (app, holder, method)
  }

  /// Parses the text of a file: `app = NAME` or `app = NAME=PATH`, and one of `command = WORDS` and
  /// `unit = NAME`.
  package init(_ text: String) throws(Fault) {
    var values: [String: String] = [:]
    let faults = KeyValueLines.read(text) { key, value in
      guard ["app", "command", "unit", "continue"].contains(key) else {
        return "unknown key `\(key)`; known are app, command, unit, continue"
      }
      values[key] = value
      return nil
    }
    if let fault = faults.first { throw Fault(description: fault.cause) }
    guard let app = values["app"]?.split(whereSeparator: \.isWhitespace).first else {
      throw Fault(description: "`app` is missing")
    }
    guard let named = NamedProgram(String(app)) else {
      throw Fault(description: NamedProgram.fault(in: String(app)))
    }
    self.app = named.app
    holder = named.path
    switch values["continue"] {
    case nil, "no": continues = false
    case "yes": continues = true
    default: throw Fault(description: "`continue` must be yes or no")
    }
    let words = (values["command"] ?? "").split(whereSeparator: \.isWhitespace).map(String.init)
    let unit = (values["unit"] ?? "").split(whereSeparator: \.isWhitespace).map(String.init)
    switch (words.first, unit.first) {
    case (let program?, nil):
      guard program.hasPrefix("/") else {
        throw Fault(description: "`command` must begin with an absolute path")
      }
      method = .command(words)
    case (nil, let name?):
      guard unit.count == 1, !name.hasPrefix("-") else {
        throw Fault(description: "`unit` must be one name")
      }
      method = .unit(name)
    case (nil, nil), (_?, _?):
      throw Fault(description: "exactly one of `command` and `unit` is needed")
    }
  }

  /// Reads a file, which only its owner may be able to write: a writer could run programs as the
  /// daemon's user.
  init(file: String) throws(Fault) {
    var status = stat()
    guard lstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw Fault(description: "no plain file")
    }
    let bytes: [UInt8]
    do throws(OwnedFile.Fault) { bytes = try OwnedFile.read(file, limit: 65_536) } catch {
      throw Fault(description: error.description)
    }
    try self.init(String(decoding: bytes, as: UTF8.self))
  }

  /// Returns why the app is not started if a program other than the registered one holds its
  /// identifier; `nil` otherwise.
  ///
  /// `program` holds the identifier, or is its Flatpak's folder; `nil` while none does.
  func obstacle(heldBy program: String?) -> String? {
    guard app.path == nil, let program else { return nil }
    func isSame(_ path: String) -> Bool {
      AppIdentity(path: path) == AppIdentity(path: program) || path.hasPrefix(program + "/")
    }
    if let holder {
      return isSame(holder) ? nil : "\(program) is \(app), and \(holder) is registered"
    }
    guard case .command(let words) = method, let started = words.first,
      !isSame(SmallFile.resolved(started) ?? started)
    else { return nil }
    return "\(program) is \(app), and \(started) is registered; if it starts that one, write "
      + "app = \(app)=\(program)"
  }
}
