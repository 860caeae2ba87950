/// What a receiver has sent since its port was opened, counted.
package struct NMEAReceiverStatus: Hashable, Sendable {
  /// Bytes of any kind.
  package internal(set) var bytes = 0
  /// Bytes outside sentences that are not text.
  package internal(set) var binaryBytes = 0
  /// Sentences with a correct checksum, of any kind.
  package internal(set) var sentences = 0
  /// Sentences that say there is no position.
  package internal(set) var sentencesWithoutPosition = 0
  package internal(set) var fixes = 0
  /// Rejections, indexed by the reason's raw value.
  private var rejections = [Int](repeating: 0, count: NMEARejection.allCases.count)

  package init() {}

  /// All rejections with their counts, in the order of the reasons.
  package var rejected: [(reason: NMEARejection, count: Int)] {
    zip(NMEARejection.allCases, rejections).filter { $0.1 > 0 }.map { ($0, $1) }
  }

  /// Returns how many were rejected for this reason.
  package func count(of reason: NMEARejection) -> Int { rejections[reason.rawValue] }

  mutating func count(_ reason: NMEARejection) { rejections[reason.rawValue] += 1 }

  /// Why there is no fix, or that there is one.
  package enum Diagnosis: Hashable, Sendable {
    /// No byte has come.
    case silent
    /// Most bytes are not text: the wrong speed, or a binary protocol.
    case noText
    /// Text comes, but no sentence.
    case noSentences
    /// Sentences come, and say that there is no position yet.
    case noPosition
    /// Sentences come, but none of a kind that holds positions.
    case noPositionSentences
    case working
  }

  package var diagnosis: Diagnosis {
    if bytes == 0 { return .silent }
    if fixes > 0 { return .working }
    // Chosen: at the wrong speed about half of the bytes are not text; in a text stream, none.
    if sentences == 0 { return binaryBytes * 5 > bytes ? .noText : .noSentences }
    return sentencesWithoutPosition > 0 ? .noPosition : .noPositionSentences
  }
}
