/// The streams of a fleet as lines for people.
package struct StreamTable: Sendable {
  private var rows: [[String]] = [
    ["stream", "messages", "bytes", "first", "last", "copies", "leader"]
  ]
  /// Those that have not answered, with the cause.
  package private(set) var silent: [String] = []

  package init() {}

  /// Takes streams as they were found.
  ///
  /// - Parameters:
  ///   - streams: in the order of their lines.
  ///   - partitions: as many as the configuration says; one of another partition that is not there is no stream of
  ///     the fleet.
  /// - Returns: how many of them are there, or have not answered.
  @discardableResult
  package mutating func take(_ streams: [FleetSurvey.Stream], partitions: Int) -> Int {
    var count = 0
    for stream in streams {
      switch stream.state {
      case .here(let status): rows.append([stream.name] + Self.words(status))
      case .silent(let cause):
        silent.append("\(stream.name): \(cause)")
        rows.append([stream.name, "?"])
      case .missing:
        guard stream.log.partition.map({ $0 < partitions }) ?? true else { continue }
        rows.append([stream.name, "not there"])
        continue
      }
      count += 1
    }
    return count
  }

  private static func words(_ status: StreamStatus) -> [String] {
    let current = status.copies.count { $0.isCurrent && !$0.isOffline }
    let copies =
      status.copies.count == current
      ? "\(status.replicas)" : "\(status.replicas), \(status.copies.count - current) behind"
    return [
      "\(status.messages)", "\(status.bytes)", "\(status.first)", "\(status.last)", copies,
      status.hasLeader ? status.leader : "nobody",
    ]
  }

  /// A heading, and a line for each stream.
  package var lines: [String] {
    let widths = rows[0].indices.map { column in
      rows.filter { $0.count > 2 }.map { $0[column].count }.max() ?? 0
    }
    return rows.map { row in
      var line = ""
      for (column, word) in row.enumerated() {
        let space = String(repeating: " ", count: max(widths[column] - word.count, 0))
        // Numbers end where those above them do.
        line += (1...4).contains(column) && row.count > 2 ? space + word : word + space
        line += "  "
      }
      while line.last == " " { line.removeLast() }
      return line
    }
  }
}

extension FleetLog {
  /// The partition whose log it is.
  fileprivate var partition: Int? {
    switch self {
    case .fixes(let number), .events(let number), .state(let number): number
    case .leases, .fences, .erasures, .sinks, .refused: nil
    }
  }
}
