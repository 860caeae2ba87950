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
    let looked = looks.lazy.filter { !$0.isTurnedAway }.map(\.since).min()
    return earliest(waiting.first?.since, looked).map { $0 + Self.timeout }
  }

  /// Whether identification of a client has begun and not ended.
  package func isLookedAt(_ number: Int) -> Bool { looks.contains { $0.number == number } }

  package mutating func handle(_ input: Input, at now: Moment) -> [Output] {
    switch input {
    case .came(let number, let payer):
      let arrival = Arrival(number: number, payer: payer, since: now.uptime)
      let away = turnAway(at: now)
      // No place has become free, so those before it still wait.
      guard mayBegin(payer) else {
        waiting.append(arrival)
        return away
      }
      return away + [begin(arrival, at: now)]
    case .known(let number):
      looks.removeAll { $0.number == number }
      return turnAway(at: now) + beginWaiting(at: now)
    case .wake: return turnAway(at: now)
    }
  }

  private mutating func turnAway(at now: Moment) -> [Output] {
    func isLate(_ arrival: Arrival) -> Bool { now.uptime >= arrival.since + Self.timeout }
    var outputs: [Output] = []
    for index in looks.indices where isLate(looks[index]) && !looks[index].isTurnedAway {
      looks[index].isTurnedAway = true
      outputs.append(.turnAway(looks[index].number, Self.hung))
    }
    let late = waiting.prefix(Self.turnedAwayAtOnce).prefix(while: isLate)
    outputs += late.map { .turnAway($0.number, Self.busy) }
    waiting.removeFirst(late.count)
    return outputs
  }

  /// Begins with those for which there is room, in the order in which they came.
  private mutating func beginWaiting(at now: Moment) -> [Output] {
    var outputs: [Output] = []
    // A program may have thousands of connections: it is asked for once whether one more may begin.
    var full: Set<Payer> = []
    var index = waiting.startIndex
    while index < waiting.endIndex, looks.count < Self.atOnce + 2 * Self.kept {
      let payer = waiting[index].payer
      if !full.contains(payer), mayBegin(payer) {
        outputs.append(begin(waiting.remove(at: index), at: now))
      } else {
        full.insert(payer)
        index += 1
      }
    }
    return outputs
  }

  private func mayBegin(_ payer: Payer) -> Bool {
    let ofUser = looks.count { $0.payer.user == payer.user }
    let isOwner = payer.user == 0 || payer.user == owner
    let kept = isOwner ? 2 * Self.kept : ofUser == 0 ? Self.kept : 0
    return looks.count < Self.atOnce + kept && ofUser < Self.perUser
      && looks.count { $0.payer == payer } < Self.perProgram
  }

  private mutating func begin(_ arrival: Arrival, at now: Moment) -> Output {
    var arrival = arrival
    arrival.since = now.uptime
    looks.append(arrival)
    return .look(arrival.number)
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
  /// Clients that are turned away before others have their turn; a deadline that has passed is for the
  /// rest. Chosen: a fraction of a millisecond's work.
  package static let turnedAwayAtOnce = 16
  /// Places beyond those for users without one, and as many for the owner. Chosen: the owner's user has
  /// all that a user may have.
  package static let kept = 8
}
