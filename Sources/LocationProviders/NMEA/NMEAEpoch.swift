import LocationModel

/// What the sentences about one instant have said so far.
package struct NMEAEpoch: Hashable, Sendable {
  /// Nanoseconds since midnight.
  package let timeOfDay: Int64
  package private(set) var place: NMEAPlace?
  /// A GLL has named the place, or one that agrees with it.
  private var isConfirmed = false
  package private(set) var quality: NMEAQuality?
  package private(set) var isSimulated = false
  /// A sentence said that there is no position; no other sentence of the epoch can undo it.
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

  /// Whether there is a position that every sentence so far agrees to.
  package var isSolved: Bool { place != nil && !isRefused }

  /// Takes in what a sentence says about this instant; of two, the later one counts.
  ///
  /// Returns the place that had to give way, if there was another.
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
      // RMC and GLL of older receivers know less of the quality than GGA; but one that admits
      // dead reckoning is believed.
      let isGuess = quality == .deadReckoning || self.quality == .deadReckoning
      self.quality = isGuess ? .deadReckoning : max(quality, self.quality ?? quality)
    }
    altitude = position.altitude ?? altitude
    undulation = position.undulation ?? undulation
    hdop = position.hdop ?? hdop
    satellitesUsed = position.satellitesUsed ?? satellitesUsed
    return position.place.flatMap { merge($0, isBare: position.isBare) }
  }

  /// Receivers write one place with more and with fewer digits; then the later one counts. But
  /// where a ship's bus mixes sentences, RMC or GGA may run a second behind and name a time that
  /// is not theirs (`bundg_zeus_9.log`). GLL, which is made for one place at one time, is right.
  private mutating func merge(_ other: NMEAPlace, isBare: Bool) -> NMEAPlace? {
    let old = place
    if let old, isConfirmed, !isBare, !old.agrees(with: other) { return other }
    place = other
    isConfirmed = isConfirmed || isBare
    return old?.coordinate == other.coordinate ? nil : old
  }

  /// Takes in a motion; what it leaves open stays as it was.
  package mutating func merge(_ motion: NMEAMotion) {
    self.motion.speed = motion.speed ?? self.motion.speed
    self.motion.course = motion.course ?? self.motion.course
  }
}
