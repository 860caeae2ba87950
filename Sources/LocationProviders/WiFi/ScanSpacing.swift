package import LocationModel

/// How often a scan may be asked for, by how much the last one differs from the one before.
///
/// Scans are what notices a departure where there is no motion sensor, so they do not end at rest.
package struct ScanSpacing: Sendable {
  /// How the device moves, as far as scans show it.
  package enum Movement: Hashable, Sendable {
    /// Most of what was heard is new, or nothing is known yet.
    case moving
    /// Much of what was heard was heard before, or nothing is heard.
    case slow
    /// Two scans in a row were like those before them.
    case resting
  }

  package private(set) var movement = Movement.moving
  /// How strongly each station was heard in the last scan.
  private var last: [Transmitter: Double] = [:]
  private var alike = 0

  package init() {}

  /// The shortest time between two requests.
  package var shortest: Duration {
    switch movement {
    case .moving: .seconds(10)
    case .slow: .seconds(30)
    case .resting: .seconds(60)
    }
  }

  /// Notes the readings of a new scan.
  package mutating func note(_ readings: [RadioScan.Reading]) {
    var new: [Transmitter: Double] = [:]
    for reading in readings { new[reading.transmitter] = Self.strength(of: reading) }
    let likeness = Self.likeness(last, new)
    alike = likeness >= Self.same ? alike + 1 : 0
    movement = alike >= 2 ? .resting : likeness >= Self.related ? .slow : .moving
    last = new
  }

  /// The part of all strength that both have, from 0 to 1.
  private static func likeness(
    _ first: [Transmitter: Double], _ second: [Transmitter: Double]
  ) -> Double {
    var (both, all) = (0.0, 0.0)
    for (station, strength) in first.sorted(by: { $0.key < $1.key }) {
      both += min(strength, second[station] ?? 0)
      all += max(strength, second[station] ?? 0)
    }
    for (station, strength) in second.sorted(by: { $0.key < $1.key })
    where first[station] == nil {
      all += strength
    }
    // Twice nothing shows neither rest nor movement.
    return all > 0 ? both / all : related
  }

  /// dB above the weakest that is heard; at least 1.
  private static func strength(of reading: RadioScan.Reading) -> Double {
    max(1, (reading.level ?? unknown) + 100)
  }

  /// dBm, for a radio that does not report levels. Chosen: as weak as most stations are.
  private static let unknown = -80.0
  /// Chosen on the shared recordings: see docs/decisions/0092.
  private static let same = 0.75
  private static let related = 0.4
}
