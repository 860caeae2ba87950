import Dispatch
package import LocationHost
package import LocationLink

/// The daemon's memory for checking who may answer for a person, and who may administer.
package struct TrustState {
  let programs: TrustedPrograms
  var served = ServedProcesses()
  /// The programs that were served as apps, of each user in the order of their first connection.
  private var programsOfUsers: [UInt32: [String]] = [:]
  private(set) var appPrograms: Set<AppProgram> = []
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

  /// Remembers that a program of a user was served as an app; forgets the user's first one beyond the
  /// bound, and beyond that of all the first one of the user who has most.
  package mutating func noteServed(_ program: String, of user: UInt32) {
    guard programsOfUsers[user]?.contains(program) != true else { return }
    programsOfUsers[user, default: []].append(program)
    appPrograms.insert(AppProgram(path: program, user: user))
    if programsOfUsers[user]?.count ?? 0 > Self.mostProgramsOfUser { forgetFirst(of: user) }
    guard programsOfUsers.values.reduce(0, { $0 + $1.count }) > Self.mostPrograms else { return }
    let most = programsOfUsers.max { ($0.value.count, $1.key) < ($1.value.count, $0.key) }
    if let most { forgetFirst(of: most.key) }
  }

  private mutating func forgetFirst(of user: UInt32) {
    guard let program = programsOfUsers[user]?.removeFirst() else { return }
    if programsOfUsers[user]?.isEmpty == true { programsOfUsers[user] = nil }
    appPrograms.remove(AppProgram(path: program, user: user))
  }

  /// Returns whether a refusal is new, and should be logged.
  package mutating func isNew(_ refusal: AccessRefusal, of mark: ProcessMark) -> Bool {
    if logged.count >= Self.mostLogged { logged = [] }
    return logged.insert("\(mark.pid) \(mark.start) \(refusal.reason)").inserted
  }

  /// Programs of one user. Chosen: as many as a user may have apps with stored data. One that was
  /// forgotten counts as a program that was never served, which can do no more.
  package static let mostProgramsOfUser = 1024
  /// Programs of all users together. Chosen: those of 16 users.
  package static let mostPrograms = 16_384
  /// The greatest number of refusals to remember. Chosen.
  package static let mostLogged = 512
}
