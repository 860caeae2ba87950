import Glibc

/// Why the state in a folder cannot be used: the cause, and what a person can do.
package struct StateFault: Error, Hashable, CustomStringConvertible {
  package enum Kind: Hashable, Sendable {
    /// Another process has it; `isDaemon` if that process holds it alone.
    case held(pid: Int32, isDaemon: Bool)
    /// Other users could read or change the folder, or files in it.
    case unsafe
    /// The disk is full or read-only.
    case unavailable
  }

  package var kind: Kind
  package var cause: String
  /// What corrects it; `nil` if that is not known.
  package var next: String?

  init(_ kind: Kind, _ cause: String, next: String? = nil) {
    (self.kind, self.cause, self.next) = (kind, cause, next)
  }

  /// Creates a fault from the system's error for the folder itself.
  init(_ error: Errno, next: String? = nil) {
    let isDisk = [EROFS, ENOSPC, EDQUOT].contains(error.code)
    self.init(isDisk ? .unavailable : .unsafe, "\(error)", next: next)
  }

  package var description: String { cause + (next.map { "; next: \($0)" } ?? "") }
}
