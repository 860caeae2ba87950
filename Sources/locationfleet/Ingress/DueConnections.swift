import LocationModel

/// Connections that go on at a moment, the earliest first: a heap.
struct DueConnections {
  typealias Entry = (date: Instant, name: DeviceConnections.Name)

  private var entries: [Entry] = []

  /// The moment of the first one.
  var next: Instant? { entries.first?.date }

  mutating func add(_ name: DeviceConnections.Name, at date: Instant) {
    entries.append((date, name))
    var place = entries.count - 1
    while place > 0, entries[place].date < entries[(place - 1) / 2].date {
      entries.swapAt(place, (place - 1) / 2)
      place = (place - 1) / 2
    }
  }

  /// Takes the first one, if its moment has come.
  mutating func take(at now: Instant) -> DeviceConnections.Name? {
    guard let first = entries.first, first.date <= now else { return nil }
    let last = entries.removeLast()
    guard !entries.isEmpty else { return first.name }
    entries[0] = last
    var place = 0
    while true {
      var least = place
      for child in [2 * place + 1, 2 * place + 2] where child < entries.count {
        if entries[child].date < entries[least].date { least = child }
      }
      guard least != place else { return first.name }
      entries.swapAt(place, least)
      place = least
    }
  }
}
