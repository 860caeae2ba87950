/// Whether a fleet has as many partitions as the configuration says: with another number a device is looked for
/// in a partition that is not its own.
extension FleetSurvey {
  /// The fixes of the last partition of the configuration, which are there, and those of the one behind it, which
  /// are not: the streams of a fleet are numbered without gaps.
  package static func ends(ofPartitions count: Int) -> [FleetLog] {
    [.fixes(count - 1), .fixes(count)]
  }

  /// What is wrong with the number of partitions.
  ///
  /// - Parameters:
  ///   - count: `partitions` of the configuration.
  ///   - ends: how the streams of ``ends(ofPartitions:)`` stand.
  /// - Returns: `nil` where the streams are as many, and where they have not answered.
  package static func fault(ofPartitions count: Int, _ ends: [Stream]) -> String? {
    for end in ends {
      switch (end.log, end.state) {
      case (.fixes(count - 1), .missing):
        return "`partitions` is \(count), and \(end.name) is not there"
      case (.fixes(count), .here):
        return "`partitions` is \(count), and there is \(end.name)"
      default: continue
      }
    }
    return nil
  }

  /// What is wrong with the number of partitions, by the streams that were looked at.
  ///
  /// - Parameter count: `partitions` of the configuration.
  /// - Returns: `nil` also where there are none yet.
  package func fault(ofPartitions count: Int) -> String? {
    guard Self.number(ofPartitions: streams) != nil else { return nil }
    let last = streams.filter { $0.log == .fixes(count - 1) }
    return Self.fault(ofPartitions: count, (further.map { [$0] } ?? []) + last)
  }

  /// The fixes of every partition that a fleet may have.
  package static let everyPartition = (0..<FleetConfiguration.mostPartitions).map {
    FleetLog.fixes($0)
  }

  /// How many partitions a fleet has. Of these streams the last one is made before all others, so that its number
  /// says how many there are to be, also where making them was interrupted.
  ///
  /// - Parameter streams: how those of ``everyPartition`` stand; others are passed over.
  /// - Returns: `nil` where none is there.
  package static func number(ofPartitions streams: [Stream]) -> Int? {
    streams.compactMap { stream in
      guard case .fixes(let partition) = stream.log, case .here = stream.state else { return nil }
      return partition + 1
    }.max()
  }

  /// What a person does about another number than that of the configuration.
  ///
  /// - Parameter streams: how those of ``everyPartition`` stand.
  /// - Returns: the next step, with the right number where all have answered.
  package static func step(ofPartitions streams: [Stream]) -> String {
    guard silence(streams) == nil else { return partitionsStep }
    guard let number = number(ofPartitions: streams) else { return "locationfleet init" }
    return
      "set `partitions` to \(number) in the configuration of every program; it never changes"
  }

  /// The same where not all streams have answered.
  package static let partitionsStep =
    "count the streams FIX_0, FIX_1, … (locationfleet streams), and set `partitions` to "
    + "that number in the configuration of every program; never change it otherwise"

  /// Why it is not known how many partitions there are.
  ///
  /// - Parameter ends: how the streams of ``ends(ofPartitions:)`` stand.
  /// - Returns: the first of them that has not answered, with the cause; `nil` where all have.
  package static func silence(_ ends: [Stream]) -> String? {
    for end in ends {
      if case .silent(let cause) = end.state { return "\(end.name): \(cause)" }
    }
    return nil
  }
}
