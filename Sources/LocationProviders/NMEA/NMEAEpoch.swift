import LocationModel

/// The merged contents of all sentences so far about one instant.
package struct NMEAEpoch: Hashable, Sendable {
  /// Nanoseconds since midnight.
  package let timeOfDay: Int64
  package private(set) var place: NMEAPlace?
  /// Whether a GLL has contained the place, or one that agrees with it.
  private var isConfirmed = false
  package private(set) var quality: NMEAQuality?
  package private(set) var isSimulated = false
  /// Whether a sentence said that there is no position; no other one of the epoch changes this.
  package private(set) var isRefused = false
  package private(set) var altitude: Double?
  package private(set) var undulation: Double?
  package private(set) var hdop: Double?
  package private(set) var satellitesUsed: Int?
  package private(set) var motion = NMEAMotion()
  package private(set) var errors: NMEAErrors?
  package var hasBeenPutOut = false

  package init(timeOfDay: Int64) {
    self.timeOfDay = timeOfDay
  }

  /// Whether there is a position, and no sentence so far contradicts it.
  package var isSolved: Bool { place != nil && !isRefused }

  /// Merges a sentence about this instant; of two values, the later one counts.
  ///
  /// Returns the place that was discarded, if there were two.
  package mutating func merge(_ sentence: NMEASentence) -> NMEAPlace? {
    switch sentence {
    case .position(let position, _):
      return merge(position)
    case .minimum(let position, let motion, _, _):
      merge(motion)
      return merge(position)
    case .errors(let errors, _):
      self.errors = errors
      return nil
    case .motion, .dilution, .sky, .date, .heading, .empty:
      return nil
    }
  }

  private mutating func merge(_ position: NMEAPosition) -> NMEAPlace? {
    switch position.validity {
    case .none:
      isRefused = true
      return nil
    case .simulated:
      isSimulated = true
    case .solved(let quality):
      // RMC and GLL of older receivers are less specific about quality than GGA; but dead reckoning
      // is believed from any of them.
      let isGuess = quality == .deadReckoning || self.quality == .deadReckoning
      self.quality = isGuess ? .deadReckoning : max(quality, self.quality ?? quality)
    }
    altitude = position.altitude ?? altitude
    undulation = position.undulation ?? undulation
    hdop = position.hdop ?? hdop
    satellitesUsed = position.satellitesUsed ?? satellitesUsed
    return position.place.flatMap { merge($0, isBare: position.isBare) }
  }

  /// Merges a place. Receivers write one place with more and with fewer digits; then the later one
  /// counts. But where a ship's bus mixes sentences, RMC or GGA may be a second behind and have a
  /// wrong time (`bundg_zeus_9.log`). GLL, which is made for one place at one time, is right.
  private mutating func merge(_ other: NMEAPlace, isBare: Bool) -> NMEAPlace? {
    let old = place
    if let old, isConfirmed, !isBare, !old.agrees(with: other) { return other }
    place = other
    isConfirmed = isConfirmed || isBare
    return old?.coordinate == other.coordinate ? nil : old
  }

  /// Merges a motion; values that it does not have stay unchanged.
  package mutating func merge(_ motion: NMEAMotion) {
    self.motion.speed = motion.speed ?? self.motion.speed
    self.motion.course = motion.course ?? self.motion.course
  }
}
