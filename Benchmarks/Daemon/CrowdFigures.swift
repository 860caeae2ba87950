/// What one crowd received, epoch by epoch.
struct CrowdRound {
  /// Epochs that are not counted, and that are.
  static let (warmUp, counted) = (10, 30)

  /// Seconds from the write to the first and to the last client; `nil` when they did not receive it in
  /// time.
  var arrivals: [(first: Double, last: Double)?] = []
  /// The daemon's processor time for a fix, in seconds.
  var spent = 0.0
  /// The daemon's, in megabytes.
  var memory = 0.0
}

/// What was measured among so many clients, against one.
struct CrowdFigures {
  let count: Int
  private var arrivals: [(first: Double, last: Double)] = []
  /// Microseconds that each client adds until the last has received; from pairs of epochs.
  private var added: [Double] = []
  /// Microseconds of the daemon's processor time for a fix, and of it for each client, by rounds.
  private var (spent, spentForEach): ([Double], [Double]) = ([], [])
  private var memory = 0.0

  init(count: Int) {
    self.count = count
  }

  /// Adds a round, with the one of a single client that came before it.
  mutating func add(_ round: CrowdRound, against single: CrowdRound) {
    let others = Double(count - 1)
    arrivals += round.arrivals.compactMap { $0 }
    for case (let many?, let one?) in zip(round.arrivals, single.arrivals) {
      added.append((many.last - one.last) / others * 1e6)
    }
    spent.append(round.spent * 1e6)
    spentForEach.append((round.spent - single.spent) / others * 1e6)
    memory = round.memory
  }

  func report() throws {
    let name = "daemon.clients.\(count)"
    let (first, last) = (arrivals.map(\.first), arrivals.map(\.last))
    let of = "of \(count) clients"
    try Figure.report("\(name).first", first.median * 1e6, "us", "median to the first \(of)")
    try Figure.report("\(name).median", last.median * 1e6, "us", "median to the last \(of)")
    try Figure.report("\(name).p99", last.quantile(0.99) * 1e6, "us", "p99 to the last \(of)")
    let growth = MedianInterval(added)
    guard growth.low > 0 else {
      throw InvalidMeasurement(
        text: "each \(of) adds \(growth.low) to \(growth.high) us: more noise than effect")
    }
    try Figure.report(
      "\(name).growth", growth.median, "us",
      "added by each \(of) until the last has it, median of \(added.count) pairs")
    try Figure.report("\(name).growth.low", growth.low, "us", "the same, 95 % interval, from")
    try Figure.report("\(name).growth.high", growth.high, "us", "the same, 95 % interval, to")
    try Figure.report("\(name).cpu", spent.median, "us", "the daemon's processor time for a fix")
    guard let least = spentForEach.min(), let most = spentForEach.max(), least > 0 else {
      throw InvalidMeasurement(
        text: "\(count) clients cost the daemon less than one: \(spentForEach) us each")
    }
    try Figure.report(
      "\(name).cpu.each", spentForEach.median, "us",
      "processor time for a fix and a client, median of \(rounds) rounds")
    try Figure.report("\(name).cpu.each.low", least, "us", "the same, least round")
    try Figure.report("\(name).cpu.each.high", most, "us", "the same, most")
    try Figure.report("\(name).memory", memory, "MB", "the daemon's memory")
  }
}
