package import LocationHost
import LocationLink

/// The processes that are or were served as apps, remembered while the daemon lives.
///
/// One that has disconnected, or now runs another program, is still the app's process.
package struct ServedProcesses: Sendable {
  package struct Process: Hashable, Sendable {
    /// The name of the app in messages.
    package var app: String
    package var user: UInt32
    package var session: Int32
    package var controlGroup: String?
    /// Its ancestors when it connected.
    package var ancestors: Set<ProcessMark>

    package init(
      app: String, user: UInt32, session: Int32, controlGroup: String?,
      ancestors: Set<ProcessMark>
    ) {
      (self.app, self.user, self.session) = (app, user, session)
      (self.controlGroup, self.ancestors) = (controlGroup, ancestors)
    }
  }

  package private(set) var processes: [ProcessMark: Process] = [:]

  package init() {}

  /// Remembers a process; returns `false` if too many of this user's are remembered already.
  ///
  /// Processes that have ended are forgotten first.
  package mutating func note(
    _ mark: ProcessMark, _ process: Process, isRunning: (ProcessMark) -> Bool
  ) -> Bool {
    func room() -> Bool {
      processes.count < Self.most || processes.values.count { $0.user == process.user } < Self.most
    }
    if !room() {
      processes = processes.filter { $1.user != process.user || isRunning($0) }
    }
    guard room() else { return false }
    processes[mark] = process
    return true
  }

  /// Why a process that is served as an app may not answer for one; `nil` for any other.
  func refusal(of peer: Peer) -> AccessRefusal? {
    processes[peer.mark].map {
      AccessRefusal(
        reason: "process \(peer.pid) is served as the app \($0.app), so it may not answer for one",
        next: "answer from a program of its own")
    }
  }

  /// Remembered processes of one user. Chosen: more than all clients of one user at a time, and few
  /// enough that a user fills at most a few megabytes.
  package static let most = 4096
}
