import Glibc

/// A system call that failed: its name, and the system's reason.
package struct Errno: Error, Hashable, CustomStringConvertible {
  package var code: Int32
  package var call: String

  /// The error of the call that just failed.
  init(last call: String) {
    self.init(code: errno, call: call)
  }

  init(code: Int32, call: String) {
    self.code = code
    self.call = call
  }

  /// The system's words, such as "No such file or directory".
  package var reason: String { String(cString: strerror(code)) }

  static let noEntry = ENOENT
  static let noAccess = EACCES
  static let notPermitted = EPERM

  package var description: String { "\(call): \(reason)" }
}
