import Foundation
import LocationModel
import LocationRadio

/// Other ways of finding the place of a scan, on the same scans in the same run: scikit-learn's nearest
/// neighbors, and the nearest fingerprint by one statement of SQL.
struct RadioPeers {
  private var python: URL

  /// Finds a Python that has scikit-learn.
  init() throws {
    guard let python = try Peers.python(importing: "sklearn") else {
      throw MissingPeer(text: "scikit-learn is missing (Scripts/bench.sh installs it)")
    }
    self.python = python
  }

  /// Prints what each finds, how long one scan takes it, and our errors and time over its own.
  func report(_ set: RadioSet, beside result: RadioResult) throws {
    let folder = try Peers.folder("radio-peers")
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "scans.txt")
    try set.lines.write(to: file, atomically: false, encoding: .utf8)
    let script = Peers.packageRoot.appending(path: "Benchmarks/Radios/radio_peers.py").path
    guard let printed = try run(python, ["-B", script, file.path]) else {
      throw MissingPeer(text: "radio_peers.py does not run; its reason is above")
    }
    let ours = Dictionary(uniqueKeysWithValues: result.figures.map { ($0.0, $0.1) })
    for line in printed.split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count == 6, words[0] == "peer" else { continue }
      let name = "radios.\(set.name).\(words[1])"
      for (number, quantity, unit) in [(2, "median", "m"), (3, "p90", "m"), (4, "scan", "µs")] {
        guard let theirs = Double(words[number]), let own = ours[quantity] else { continue }
        let label = "\(set.name), \(words[1]), \(quantity)"
        try Figure.report("\(name).\(quantity)", theirs, unit, label)
        try Figure.report(
          "\(name).\(quantity).ratio", own / theirs, "",
          "\(set.name), our \(quantity) over that of \(words[1])")
      }
      guard let batch = Double(words[5]), let own = ours["scan"] else { continue }
      try Figure.report("\(name).batch", batch, "µs", "\(set.name), \(words[1]), all at once")
      try Figure.report(
        "\(name).batch.ratio", own / batch, "", "\(set.name), our scan alone over one of a batch")
    }
  }
}

extension RadioSet {
  /// The set for another program: places in meters from the first that teaches.
  var lines: String {
    guard let first = teaching.first else { return "" }
    let frame = LocalFrame(center: first.place)
    var numbers: [Transmitter: Int] = [:]
    func line(_ kind: String, _ placed: PlacedScan) -> String {
      let place = frame.offset(of: placed.place)
      let heard = placed.scan.readings.compactMap { reading -> String? in
        guard let level = reading.level else { return nil }
        let number = numbers[reading.transmitter] ?? numbers.count
        numbers[reading.transmitter] = number
        return "\(number):\(level)"
      }
      let floor = placed.floor.map { String($0) } ?? "-"
      let time = "\(placed.scan.time.nanoseconds)"
      let words = [kind, time, "\(place.east)", "\(place.north)", floor] + heard
      return words.joined(separator: " ") + "\n"
    }
    return (teaching.map { line("teach", $0) } + asking.map { line("ask", $0) }).joined()
  }

  /// The set of such lines, somewhere on the Earth; without floors.
  init(name: String, lines: String) {
    let frame = LocalFrame(center: Coordinate(latitude: 48, longitude: 11))
    self.init(name: name, teaching: [PlacedScan](), asking: [])
    for line in lines.split(separator: "\n") {
      let words = line.split(separator: " ", maxSplits: 5)
      guard words.count >= 5, let time = Int64(words[1]), let east = Double(words[2]),
        let north = Double(words[3])
      else { continue }
      let readings = words.count > 5 ? Self.stations(words[5]) : []
      let placed = PlacedScan(
        scan: RadioScan(readings, time: UnixTime(nanoseconds: time)),
        place: frame.place(east: east, north: north))
      if words[0] == "teach" { teaching.append(placed) } else { asking.append(placed) }
    }
  }
}
