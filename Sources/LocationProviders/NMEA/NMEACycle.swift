/// Learns which sentence ends a receiver's epochs, so that a fix need not wait for the next one.
///
/// Two epochs in a row that end alike teach it. A sentence that comes later than the learned end
/// makes it forget, and learn anew.
package struct NMEACycle: Hashable, Sendable {
  /// One sentence's place among those of its epoch.
  package struct Mark: Hashable, Sendable {
    package var kind: NMEAKind
    /// 1 for the first sentence of this kind in the epoch.
    package var occurrence: Int
  }

  /// The end of every epoch, once learned.
  package private(set) var end: Mark?
  /// The end of the epoch before.
  private var candidate: Mark?
  /// The last sentence of the epoch under way.
  private var latest: Mark?
  /// Sentences of each kind in the epoch under way, by the kind's raw value.
  private var occurrences = [Int](repeating: 0, count: NMEAKind.allCases.count)

  package init() {}

  /// A sentence of the epoch has come; tells whether it is the learned end.
  package mutating func note(_ kind: NMEAKind) -> Bool {
    occurrences[Int(kind.rawValue)] += 1
    let mark = Mark(kind: kind, occurrence: occurrences[Int(kind.rawValue)])
    latest = mark
    return mark == end
  }

  /// The epoch is over.
  package mutating func close() {
    end = candidate == latest ? latest : nil
    candidate = latest
    latest = nil
    for index in occurrences.indices { occurrences[index] = 0 }
  }

  /// The learned end was not the end.
  package mutating func forget() {
    end = nil
    candidate = nil
  }
}
