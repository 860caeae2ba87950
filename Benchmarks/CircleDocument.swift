import Foundation

/// One world's costs, ours beside those of the peers.
struct CircleRow {
  var arrangement: CircleWorld.Arrangement
  var count: Int
  var own: CircleCost
  /// Nanoseconds of the whole step of the tracker.
  var step: Double?
  var peers: [String: CircleCost] = [:]

  /// Our look-ups against Boost's.
  var ratios: [Double] {
    ["devices", "walk"].compactMap { name in
      guard let own = own.values[name], let boost = peers["boost"]?.values[name] else { return nil }
      return own / boost
    }
  }

  /// Look-ups where a peer with the same boxes found something else. Redis has circles, not boxes.
  var disagreements: [String] {
    peers.sorted { $0.key < $1.key }.filter { $0.key != "redis" }.flatMap { name, cost in
      cost.answers.sorted { $0.key < $1.key }.compactMap { pattern, answers in
        answers == own.answers[pattern]
          ? nil
          : "\(name), \(count) circles, \(arrangement.rawValue), \(pattern): \(answers), "
            + "not \(own.answers[pattern] ?? 0)"
      }
    }
  }

  func report() throws {
    let place = arrangement.rawValue.replacing(" ", with: "-")
    let all = [("meridian", own)] + peers.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    for (index, cost) in all {
      for (name, value) in cost.values.sorted(by: { $0.key < $1.key }) {
        try Figure.report(
          "circles.\(place).\(count).\(name).\(index)", value, name == "bytes" ? "B" : "ns",
          "\(count) circles, \(arrangement.rawValue), \(index), \(name)")
      }
    }
    guard let step else { return }
    try Figure.report("circles.\(count).step", step, "ns", "\(count) circles, whole step")
  }
}

/// The costs as a page.
struct CircleDocument {
  var rows: [CircleRow]
  var missing: [String: String]

  private static let columns = ["meridian"] + CirclePeers.names

  var text: String {
    """
    # What a circle costs

    Written by `Benchmarks circles`; all on one machine in one run, one thread. Circles of 100 m.
    *None near*: one in four square kilometers, and no place asked for lies in one; *10 near*: ten
    hold each place on average; *one place*: all around the same place, which all places asked for
    are at. Every index has the same boxes, in the same whole units, and is asked for the boxes that
    hold a place; Redis, which has no boxes, for the centers within 100 m. Answers of all others
    agree exactly. Look-ups are the best of \(rounds) rounds for all; what changes an index is done once.
    A cell without a figure is something that the peer cannot do, or a peer that
    was not there. Ours and Boost answer in the same process. Boost is its packed R-tree (`quadratic<16>`, `-O2`); Shapely is asked for all
    places in one call; PostGIS joins a table of places, by its own measure of time, and keeps what it
    stores safe from crashes and other writers, which the others do not; Redis is asked 200 times at
    once over a local socket, and pays for it and for its text.

    """ + CircleWorld.Arrangement.allCases.flatMap(section).joined(separator: "\n") + steps
      + missing.sorted { $0.key < $1.key }.map { "\nNot compared: \($0.key) (\($0.value)).\n" }
      .joined()
  }

  private func section(_ arrangement: CircleWorld.Arrangement) -> [String] {
    let patterns = [
      ("devices", "look-up, 100,000 devices, ns"), ("walk", "look-up, one walk, ns"),
      ("build", "build, ns a circle"), ("insertion", "insertion while running, ns"),
      ("removal", "removal while running, ns"), ("bytes", "bytes a circle"),
    ]
    let heads = Self.columns.joined(separator: " | ")
    var lines = ["\n## \(arrangement.rawValue.capitalizedFirst)\n"]
    for (name, title) in patterns {
      lines += ["| \(title) | \(heads) |", "|---|---|---|---|---|---|"]
      lines += rows.filter { $0.arrangement == arrangement }.map { line($0, name) } + [""]
    }
    return lines
  }

  private func line(_ row: CircleRow, _ name: String) -> String {
    let cells = Self.columns.map { column -> String in
      let cost = column == "meridian" ? row.own : row.peers[column]
      return cost?.values[name].map(Self.text) ?? ""
    }
    return "| \(row.count) | " + cells.joined(separator: " | ") + " |"
  }

  private var steps: String {
    "\n## The whole step\n\nThe tracker of conditions on the walk, decision included, none near.\n\n"
      + "| circles | ns |\n|---|---|\n"
      + rows.compactMap { row in row.step.map { "| \(row.count) | \(Self.text($0)) |\n" } }.joined()
  }

  private static func text(_ value: Double) -> String {
    String(format: value < 10 ? "%.1f" : "%.0f", value)
  }
}

extension String {
  fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
