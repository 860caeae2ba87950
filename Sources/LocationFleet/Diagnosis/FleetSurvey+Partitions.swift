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

  /// What a person does about it.
  package static let partitionsStep =
    "count the streams FIX_0, FIX_1, … (nats stream ls), which locationfleet init makes, and set `partitions` to "
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
