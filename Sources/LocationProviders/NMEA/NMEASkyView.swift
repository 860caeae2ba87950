/// The satellites of one epoch, over all constellations.
package struct SatelliteSummary: Hashable, Sendable {
  /// Above the horizon; `nil` when the receiver does not tell.
  package var inView: Int?
  /// Part of the solution; `nil` when the receiver does not tell.
  package var used: Int?
  /// dB-Hz of the strongest signal; `nil` when none is received.
  package var strongest: Int?

  package init(inView: Int? = nil, used: Int? = nil, strongest: Int? = nil) {
    self.inView = inView
    self.used = used
    self.strongest = strongest
  }
}

/// Adds up what GSV and GSA say during one epoch.
struct NMEASkyView: Hashable, Sendable {
  /// By the second letter of the talker, `A` first: one entry for each constellation.
  private var inView = [Int?](repeating: nil, count: 26)
  private var summary = SatelliteSummary()

  mutating func add(_ sky: NMEASky) {
    let index = Int(sky.constellation) - Int(UInt8(ascii: "A"))
    guard inView.indices.contains(index) else { return }
    // A constellation heard on two frequencies sends two series; they are the same satellites.
    inView[index] = max(inView[index] ?? 0, sky.inView)
    if let strongest = sky.strongest {
      summary.strongest = max(summary.strongest ?? 0, strongest)
    }
  }

  mutating func add(_ dilution: NMEADilution) {
    summary.used = (summary.used ?? 0) + dilution.satellitesUsed
  }

  /// The epoch is over: its summary, or `nil` when nothing was said.
  mutating func close(satellitesUsed: Int?) -> SatelliteSummary? {
    var result = summary
    for index in inView.indices {
      guard let count = inView[index] else { continue }
      result.inView = (result.inView ?? 0) + count
      inView[index] = nil
    }
    guard result != SatelliteSummary() else { return nil }
    result.used = result.used ?? satellitesUsed
    summary = SatelliteSummary()
    return result
  }
}
