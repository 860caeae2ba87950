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
    /// When its app began, as far as that could be seen.
    package var began: UInt64

    package init(
      app: String, user: UInt32, session: Int32, controlGroup: String?,
      ancestors: Set<ProcessMark>, began: UInt64
    ) {
      (self.app, self.user, self.session) = (app, user, session)
      (self.controlGroup, self.ancestors, self.began) = (controlGroup, ancestors, began)
    }
  }

  package private(set) var processes: [ProcessMark: Process] = [:]

  /// Those of each user, the one first that is looked at next.
  private var turns: [UInt32: [ProcessMark]] = [:]

  package init() {}

  /// Remembers a process; returns `false` if too many of this user's are remembered already.
  ///
  /// Where there is little room, a few of the user's are looked at, each in its turn, and forgotten if
  /// they have ended: a look is a file to read, and everybody waits for it.
  package mutating func note(
    _ mark: ProcessMark, _ process: Process, isRunning: (ProcessMark) -> Bool
  ) -> Bool {
    guard processes[mark] == nil else {
      processes[mark] = process
      return true
    }
    var turn = turns[process.user] ?? []
    if turn.count >= Self.most * 3 / 4 {
      let looked = turn.prefix(Self.looks)
      let running = looked.filter(isRunning)
      for mark in Set(looked).subtracting(running) { processes[mark] = nil }
      turn = turn.dropFirst(Self.looks) + running
    }
    let isRoom = turn.count < Self.most
    if isRoom {
      processes[mark] = process
      turn.append(mark)
    }
    turns[process.user] = turn
    return isRoom
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

  /// Looks for one process. Chosen: a millisecond; before the memory is full, all are looked at often.
  package static let looks = 64
}
