import Glibc
package import LocationModel

/// How an app is started again when it does not run and is owed an event (docs/formats/launch.md).
package struct LaunchRegistration: Hashable, Sendable {
  package enum Method: Hashable, Sendable {
    /// A program by its absolute path, and its arguments.
    case command([String])
    /// A unit of systemd: the user's, or the system's for root.
    case unit(String)
  }

  package var app: AppIdentity
  package var method: Method

  /// Why a file registers nothing.
  package struct Fault: Error, Hashable, Sendable, CustomStringConvertible {
    package var description: String
  }

  /// Reads the text of a file: `app = NAME`, and one of `command = WORDS` and `unit = NAME`.
  package init(_ text: String) throws(Fault) {
    var values: [String: Substring] = [:]
    for line in text.split(separator: "\n", omittingEmptySubsequences: true) {
      let line = line.prefix { $0 != "#" }
      guard !line.allSatisfy(\.isWhitespace) else { continue }
      let halves = line.split(separator: "=", maxSplits: 1)
      guard halves.count == 2 else { throw Fault(description: "expected `key = value`: `\(line)`") }
      let key = halves[0].filter { !$0.isWhitespace }
      guard ["app", "command", "unit"].contains(key) else {
        throw Fault(description: "unknown key `\(key)`; known are app, command, unit")
      }
      values[key] = halves[1]
    }
    guard let app = values["app"]?.split(whereSeparator: \.isWhitespace).first else {
      throw Fault(description: "`app` is missing")
    }
    self.app = AppIdentity(String(app))
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

  /// Reads a file, which nobody else may be able to write: whoever can, could run programs as the
  /// daemon's user.
  init(file: String) throws(Fault) {
    var status = stat()
    guard lstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw Fault(description: "no plain file")
    }
    guard Self.isSafe(status) else {
      throw Fault(description: "others than its owner can write it; chmod go-w, and own it")
    }
    guard let bytes = SmallFile.read(file, limit: 65_536) else {
      throw Fault(description: "cannot be read")
    }
    try self.init(String(decoding: bytes, as: UTF8.self))
  }

  /// Whether only this user, or root, can change it.
  static func isSafe(_ status: stat) -> Bool {
    [0, getuid()].contains(status.st_uid) && status.st_mode & (S_IWGRP | S_IWOTH) == 0
  }
}
