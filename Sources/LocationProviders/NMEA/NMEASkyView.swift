import LocationModel

/// The satellites of one epoch, over all constellations.
package struct SatelliteSummary: Hashable, Sendable {
  /// Satellites above the horizon; `nil` when the receiver does not send them.
  package var inView: Int?
  /// Satellites in the solution; `nil` when the receiver does not send them.
  package var used: Int?
  /// dB-Hz of the strongest signal; `nil` when none is received.
  package var strongest: Int?

  package init(inView: Int? = nil, used: Int? = nil, strongest: Int? = nil) {
    self.inView = inView
    self.used = used
    self.strongest = strongest
  }
}

/// Adds up the GSV and GSA sentences of one epoch.
struct NMEASkyView: Hashable, Sendable {
  /// Satellites by the second letter of the talker, `A` first: one entry for each constellation.
  private var inView = [Int?](repeating: nil, count: 26)
  private var summary = SatelliteSummary()
  /// The GSV and GSA sentences of this epoch and of the last one that had any, as they were received:
  /// they are read for a person who asks, and for nobody else.
  private var lines: [UInt8] = []
  private var lastLines: [UInt8] = []

  /// The satellites of the last epoch that had any.
  var satellites: [Satellite] { NMEASatellites(lines: lastLines).satellites }

  mutating func keep(_ line: NMEALine) {
    guard lines.count < Self.mostBytes else { return }
    line.append(to: &lines)
    lines.append(UInt8(ascii: "\n"))
  }

  mutating func add(_ sky: NMEASky) {
    let index = Int(sky.constellation) - Int(UInt8(ascii: "A"))
    guard inView.indices.contains(index) else { return }
    // A constellation received on two frequencies sends two series of the same satellites.
    inView[index] = max(inView[index] ?? 0, sky.inView)
    if let strongest = sky.strongest {
      summary.strongest = max(summary.strongest ?? 0, strongest)
    }
  }

  mutating func add(_ dilution: NMEADilution) {
    summary.used = (summary.used ?? 0) + dilution.satellitesUsed
  }

  /// Ends the epoch; returns its summary, or `nil` without any data.
  mutating func close(satellitesUsed: Int?) -> SatelliteSummary? {
    if !lines.isEmpty {
      swap(&lines, &lastLines)
      lines.removeAll(keepingCapacity: true)
    }
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

  /// Bytes of one epoch. Chosen: sixty sentences.
  private static let mostBytes = 4_800
}
