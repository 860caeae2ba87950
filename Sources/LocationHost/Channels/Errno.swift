import Glibc

/// A system call that failed: its name, and the system's reason.
package struct Errno: Error, Hashable, CustomStringConvertible {
  package var code: Int32
  package var call: String

  /// Creates the error of the call that just failed.
  package init(last call: String) {
    self.init(code: errno, call: call)
  }

  package init(code: Int32, call: String) {
    self.code = code
    self.call = call
  }

  /// The system's description, such as "No such file or directory".
  package var reason: String { String(cString: strerror(code)) }

  package static let noEntry = ENOENT
  /// The codes that mean that no network leads to a host.
  package static let noNetwork = [ENETUNREACH, EHOSTUNREACH, ENETDOWN]
  package static let noAccess = EACCES
  package static let notPermitted = EPERM

  package var description: String { "\(call): \(reason)" }
}
