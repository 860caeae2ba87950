import LocationHost

/// The processes that are or were served as apps, remembered while the daemon lives.
///
/// One that has hung up, or runs another program by now, is still the app's process.
package struct ServedProcesses: Sendable {
  package struct Process: Hashable, Sendable {
    /// The app as it is named in messages.
    package var app: String
    package var user: UInt32
    package var session: Int32
    package var controlGroup: String?
    /// Its parents when it came.
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

  /// Remembers a process; `false` when there are too many of this user's to remember another one.
  ///
  /// Those that have ended make room.
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

  /// Remembered processes of one user. Chosen: above all clients of one user at a time, and small
  /// enough that a user can fill no more than a few megabytes.
  package static let most = 4096
}
