package import LocationModel

/// Who waits for which message to be kept, and for how long.
package struct AwaitedMessages<Origin> {
  private struct Group {
    var origin: Origin
    var left: Int
    var isKept = true
  }

  /// By the number of a message: that of the first one of its group.
  private var first: [UInt64: UInt64] = [:]
  private var groups: [UInt64: Group] = [:]
  /// Numbers in the order in which they are given up.
  private var deadlines: [(number: UInt64, at: Instant)] = []
  private var position = 0
  private let limit: Duration

  package init(for limit: Duration) { self.limit = limit }

  package var count: Int { first.count }
  /// Of how many messages a deadline is remembered.
  var remembered: Int { deadlines.count }

  /// Waits for the messages of one origin, whose numbers are above all earlier ones.
  package mutating func add(_ numbers: [UInt64], of origin: Origin, at now: Instant) {
    guard let head = numbers.first else { return }
    // Of those before nothing is awaited any more.
    if first.isEmpty { (deadlines, position) = ([], 0) }
    groups[head] = Group(origin: origin, left: numbers.count)
    for number in numbers {
      first[number] = head
      deadlines.append((number, now + limit))
    }
  }

  /// Takes what is said of a message; returns the origin when nothing more of it is awaited, and whether
  /// all was kept.
  package mutating func settle(_ number: UInt64, isKept: Bool) -> (origin: Origin, isKept: Bool)? {
    guard let head = first.removeValue(forKey: number), var group = groups[head] else { return nil }
    group.left -= 1
    group.isKept = group.isKept && isKept
    guard group.left == 0 else {
      groups[head] = group
      return nil
    }
    groups[head] = nil
    return (group.origin, group.isKept)
  }

  /// Gives up what nothing was said of in time, and returns whose that is.
  package mutating func expire(at now: Instant) -> [Origin] {
    var found: [Origin] = []
    while position < deadlines.count, deadlines[position].at <= now {
      if let over = settle(deadlines[position].number, isKept: false) { found.append(over.origin) }
      position += 1
    }
    if position > 4096, position > deadlines.count / 2 {
      deadlines.removeFirst(position)
      position = 0
    }
    return found
  }
}
