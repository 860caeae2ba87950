import LocationHost
package import LocationModel

/// Decides when a new client is identified.
///
/// Identifying reads files of the client's choosing, which may lie on a file system that hangs. So
/// it runs outside the host's queue, for few clients at a time, fewer of one user, and fewest of
/// one program; the others wait. A client that is not identified in time is turned away, even if
/// the read still hangs; its place becomes free only when the read ends. So beyond the bound of all a
/// few places are kept for users without one, and as many beyond those for the owner.
package struct ArrivalCoordinator: Machine {
  package enum Input: MachineInput {
    case came(Int, Payer)
    /// The identification has ended.
    case known(Int)
    case wake
  }

  package enum Output: Hashable, Sendable {
    case look(Int)
    case turnAway(Int, String)
  }

  private struct Arrival: Sendable {
    var number: Int
    var payer: Payer
    /// The time since which it waits, or is being identified.
    var since: Instant
    var isTurnedAway = false
  }

  /// In the order in which they came.
  private var waiting: [Arrival] = []
  private var looks: [Arrival] = []

  /// The user that the daemon runs as.
  private let owner: UInt32

  package init(owner: UInt32 = 0) {
    self.owner = owner
  }

  package var nextDeadline: Instant? {
    let next = (waiting + looks.filter { !$0.isTurnedAway }).map(\.since).min()
    return next.map { $0 + Self.timeout }
  }

  /// Whether identification of a client has begun and not ended.
  package func isLookedAt(_ number: Int) -> Bool { looks.contains { $0.number == number } }

  package mutating func handle(_ input: Input, at now: Moment) -> [Output] {
    switch input {
    case .came(let number, let payer):
      waiting.append(Arrival(number: number, payer: payer, since: now.uptime))
    case .known(let number):
      looks.removeAll { $0.number == number }
    case .wake: break
    }
    return turnAway(at: now) + begin(at: now)
  }

  private mutating func turnAway(at now: Moment) -> [Output] {
    func isLate(_ arrival: Arrival) -> Bool { now.uptime >= arrival.since + Self.timeout }
    var outputs: [Output] = []
    for index in looks.indices where isLate(looks[index]) && !looks[index].isTurnedAway {
      looks[index].isTurnedAway = true
      outputs.append(.turnAway(looks[index].number, Self.hung))
    }
    outputs += waiting.filter(isLate).map { .turnAway($0.number, Self.busy) }
    waiting.removeAll(where: isLate)
    return outputs
  }

  private mutating func begin(at now: Moment) -> [Output] {
    var outputs: [Output] = []
    var index = waiting.startIndex
    while index < waiting.endIndex, looks.count < Self.atOnce + 2 * Self.kept {
      let payer = waiting[index].payer
      let ofUser = looks.count { $0.payer.user == payer.user }
      let ofProgram = looks.count { $0.payer == payer }
      let isOwner = payer.user == 0 || payer.user == owner
      let kept = isOwner ? 2 * Self.kept : ofUser == 0 ? Self.kept : 0
      guard looks.count < Self.atOnce + kept, ofUser < Self.perUser, ofProgram < Self.perProgram
      else {
        index += 1
        continue
      }
      var arrival = waiting.remove(at: index)
      arrival.since = now.uptime
      looks.append(arrival)
      outputs.append(.look(arrival.number))
    }
    return outputs
  }

  private static let hung =
    "its program's files could not be read in \(timeout.components.seconds) seconds; install the "
    + "program on a file system that answers"
  private static let busy =
    "the files of programs before it could not be read in \(timeout.components.seconds) seconds; "
    + "try again later"

  /// Chosen: a disk that sleeps needs less.
  package static let timeout = Duration.seconds(5)
  /// Identifications that may hang at a time: threads, and descriptors. Chosen.
  package static let (atOnce, perUser, perProgram) = (32, 8, 2)
  /// Places beyond those for users without one, and as many for the owner. Chosen: the owner's user has
  /// all that a user may have.
  package static let kept = 8
}
