/// Learns which sentence ends a receiver's epochs, so that a fix need not wait for the next epoch.
///
/// The end is learned when two epochs in a row end with the same sentence. It is forgotten, and
/// learned again, when a sentence of the epoch comes later.
package struct NMEACycle: Hashable, Sendable {
  /// The position of a sentence among those of its epoch.
  package struct Mark: Hashable, Sendable {
    package var kind: NMEAKind
    /// 1 for the first sentence of this kind in the epoch.
    package var occurrence: Int
  }

  /// The sentence that ends every epoch; `nil` until learned.
  package private(set) var end: Mark?
  /// The last sentence of the previous epoch.
  private var candidate: Mark?
  /// The last sentence of the current epoch so far.
  private var latest: Mark?
  /// Sentences of each kind in the current epoch, by the kind's raw value.
  private var occurrences = [Int](repeating: 0, count: NMEAKind.allCases.count)

  package init() {}

  /// Notes a sentence of the epoch; returns whether it is the learned end.
  package mutating func note(_ kind: NMEAKind) -> Bool {
    occurrences[Int(kind.rawValue)] += 1
    let mark = Mark(kind: kind, occurrence: occurrences[Int(kind.rawValue)])
    latest = mark
    return mark == end
  }

  /// Ends the epoch.
  package mutating func close() {
    end = candidate == latest ? latest : nil
    candidate = latest
    latest = nil
    for index in occurrences.indices { occurrences[index] = 0 }
  }

  /// Forgets the learned end, which was not the end.
  package mutating func forget() {
    end = nil
    candidate = nil
  }
}
