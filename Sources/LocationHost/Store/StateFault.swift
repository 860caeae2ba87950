import Glibc

/// Why the state in a folder cannot be used: the cause, and what a person can do.
package struct StateFault: Error, Hashable, CustomStringConvertible {
  package enum Kind: Hashable, Sendable {
    /// Another process has it. `isDaemon` when that one has it for itself alone.
    case held(pid: Int32, isDaemon: Bool)
    /// The folder, or what lies in it, could be read or changed by others.
    case unsafe
    /// The disk is full or read-only.
    case unavailable
  }

  package var kind: Kind
  package var cause: String
  /// What mends it; `nil` where nothing can be said.
  package var next: String?

  init(_ kind: Kind, _ cause: String, next: String? = nil) {
    (self.kind, self.cause, self.next) = (kind, cause, next)
  }

  /// The refusal of the system for the folder itself.
  init(_ error: Errno, next: String? = nil) {
    let isDisk = [EROFS, ENOSPC, EDQUOT].contains(error.code)
    self.init(isDisk ? .unavailable : .unsafe, "\(error)", next: next)
  }

  package var description: String { cause + (next.map { "; next: \($0)" } ?? "") }
}
