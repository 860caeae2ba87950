package import LocationModel

/// What the sentences about one instant have said so far.
package struct NMEAEpoch: Hashable, Sendable {
  /// Nanoseconds since midnight.
  package let timeOfDay: Int64
  package private(set) var place: NMEAPlace?
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

  /// Whether the position cannot be this epoch's, because the epoch has another one.
  ///
  /// Receivers write one position with more and with fewer digits. But on a ship's bus GGA may
  /// run a second behind RMC (`bundg_zeus_9.log`): the time it names is then not its own.
  package func contradicts(_ sentence: NMEASentence) -> Bool {
    switch sentence {
    case .position(let position, _), .minimum(let position, _, _, _):
      guard let place, let other = position.place else { return false }
      return !place.agrees(with: other)
    case .motion, .dilution, .sky, .errors, .date, .heading, .empty:
      return false
    }
  }

  /// Whether there is a position that every sentence so far agrees to.
  package var isSolved: Bool { place != nil && !isRefused }

  /// Takes in what a sentence says about this instant; of two, the later one counts.
  package mutating func merge(_ sentence: NMEASentence) {
    switch sentence {
    case .position(let position, _): merge(position)
    case .minimum(let position, let motion, _, _):
      merge(position)
      merge(motion)
    case .motion(let motion): merge(motion)
    case .errors(let errors, _): self.errors = errors
    case .dilution, .sky, .date, .heading, .empty: break
    }
  }

  private mutating func merge(_ position: NMEAPosition) {
    switch position.validity {
    case .none:
      isRefused = true
      return
    case .simulated:
      isSimulated = true
    case .solved(let quality):
      // RMC and GLL of older receivers know less of the quality than GGA; but one that admits
      // dead reckoning is believed.
      let isGuess = quality == .deadReckoning || self.quality == .deadReckoning
      self.quality = isGuess ? .deadReckoning : max(quality, self.quality ?? quality)
    }
    place = position.place ?? place
    altitude = position.altitude ?? altitude
    undulation = position.undulation ?? undulation
    hdop = position.hdop ?? hdop
    satellitesUsed = position.satellitesUsed ?? satellitesUsed
  }

  package mutating func merge(_ motion: NMEAMotion) {
    self.motion.speed = motion.speed ?? self.motion.speed
    self.motion.course = motion.course ?? self.motion.course
  }
}
