import Dispatch
package import LocationHost
package import LocationLink

/// The daemon's memory for checking who may answer for a person, and who may administer.
package struct TrustState {
  let programs: TrustedPrograms
  var served = ServedProcesses()
  /// The programs that were served as apps.
  private(set) var appPrograms: Set<String> = []
  /// Refusals that were logged, so that each is logged once.
  private var logged: Set<String> = []

  package init(_ programs: TrustedPrograms) {
    self.programs = programs
  }

  /// The queues of the users whose processes are being checked, and how many checks wait there.
  private var queues: [UInt32: (queue: DispatchQueue, checks: Int)] = [:]

  /// Returns the queue on which the processes of a user are checked, one after another.
  mutating func queue(of user: UInt32) -> DispatchQueue {
    let entry = queues[user] ?? (DispatchQueue(label: "meridian.trust"), 0)
    queues[user] = (entry.queue, entry.checks + 1)
    return entry.queue
  }

  /// Forgets the queue after its last check.
  mutating func leaveQueue(of user: UInt32) {
    guard let entry = queues[user] else { return }
    queues[user] = entry.checks > 1 ? (entry.queue, entry.checks - 1) : nil
  }

  /// Remembers that a program was served as an app.
  mutating func noteServed(_ program: String) {
    guard appPrograms.count < Self.mostPrograms else { return }
    appPrograms.insert(program)
  }

  /// Returns whether a refusal is new, and should be logged.
  package mutating func isNew(_ refusal: AccessRefusal, of mark: ProcessMark) -> Bool {
    if logged.count >= Self.mostLogged { logged = [] }
    return logged.insert("\(mark.pid) \(mark.start) \(refusal.reason)").inserted
  }

  /// Programs of all users together. Chosen: the apps of 64 users.
  package static let mostPrograms = 65_536
  /// The greatest number of refusals to remember. Chosen.
  package static let mostLogged = 512
}
