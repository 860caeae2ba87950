/// Which events of a partition are settled: everything up to one of them, and some behind it.
struct OpenEvents: Sendable {
  private struct Open {
    var sequence: UInt64
    var isSettled = false
  }

  /// The number up to which all is settled.
  private(set) var settled: UInt64
  private(set) var next: UInt64
  private var open: [Open] = []
  private var start = 0

  init(settled: UInt64) {
    self.settled = settled
    next = settled + 1
  }

  /// From the first one that is not settled to the newest.
  var count: Int { open.count - start }

  /// Adds one that is newer than all.
  mutating func add(_ sequence: UInt64) {
    open.append(Open(sequence: sequence))
    next = sequence + 1
  }

  mutating func settle(_ sequence: UInt64) {
    var (low, high) = (start, open.count)
    while low < high {
      let middle = (low + high) / 2
      if open[middle].sequence < sequence { low = middle + 1 } else { high = middle }
    }
    guard low < open.count, open[low].sequence == sequence else { return }
    open[low].isSettled = true
    while start < open.count, open[start].isSettled {
      settled = open[start].sequence
      start += 1
    }
    guard start > 256, start > open.count / 2 else { return }
    open.removeFirst(start)
    start = 0
  }
}

/// First in, first out; what failed can come back to the front.
struct Fifo<Element: Sendable>: Sendable {
  private var front: [Element] = []
  private var items: [Element] = []
  private var start = 0

  var first: Element? { front.last ?? (start < items.count ? items[start] : nil) }
  var isEmpty: Bool { front.isEmpty && start == items.count }

  mutating func append(_ element: Element) { items.append(element) }
  mutating func prepend(_ element: Element) { front.append(element) }

  mutating func popFirst() -> Element? {
    if let element = front.popLast() { return element }
    guard start < items.count else { return nil }
    defer {
      start += 1
      if start > 256, start > items.count / 2 {
        items.removeFirst(start)
        start = 0
      }
    }
    return items[start]
  }
}
