package import LocationModel

/// The kinds of sentences that are read, from any talker.
package enum NMEAKind: UInt8, Hashable, Sendable, CaseIterable {
  case gga, rmc, gll, vtg, gsa, gsv, gst, gns, zda, hdt, hdg, hdm, ths

  /// Finds the kind of a sentence by its address; `nil` for a kind that is not read.
  init?(_ line: NMEALine) {
    // Two letters of talker and three of kind. `P` begins a manufacturer's own sentences, except
    // that Quectel sends BeiDou's satellites as talker `PQ`.
    guard line.length(of: 0) == 5 else { return nil }
    let isProprietary =
      line.byte(0, 0) == UInt8(ascii: "P") && line.byte(0, 1) != UInt8(ascii: "Q")
    guard !isProprietary else { return nil }
    switch (line.byte(0, 2), line.byte(0, 3), line.byte(0, 4)) {
    case (UInt8(ascii: "G"), UInt8(ascii: "G"), UInt8(ascii: "A")): self = .gga
    case (UInt8(ascii: "R"), UInt8(ascii: "M"), UInt8(ascii: "C")): self = .rmc
    case (UInt8(ascii: "G"), UInt8(ascii: "L"), UInt8(ascii: "L")): self = .gll
    case (UInt8(ascii: "V"), UInt8(ascii: "T"), UInt8(ascii: "G")): self = .vtg
    case (UInt8(ascii: "G"), UInt8(ascii: "S"), UInt8(ascii: "A")): self = .gsa
    case (UInt8(ascii: "G"), UInt8(ascii: "S"), UInt8(ascii: "V")): self = .gsv
    case (UInt8(ascii: "G"), UInt8(ascii: "S"), UInt8(ascii: "T")): self = .gst
    case (UInt8(ascii: "G"), UInt8(ascii: "N"), UInt8(ascii: "S")): self = .gns
    case (UInt8(ascii: "Z"), UInt8(ascii: "D"), UInt8(ascii: "A")): self = .zda
    case (UInt8(ascii: "H"), UInt8(ascii: "D"), UInt8(ascii: "T")): self = .hdt
    case (UInt8(ascii: "H"), UInt8(ascii: "D"), UInt8(ascii: "G")): self = .hdg
    case (UInt8(ascii: "H"), UInt8(ascii: "D"), UInt8(ascii: "M")): self = .hdm
    case (UInt8(ascii: "T"), UInt8(ascii: "H"), UInt8(ascii: "S")): self = .ths
    default: return nil
    }
  }
}

/// How a position was solved, from the least to the most exact.
package enum NMEAQuality: UInt8, Hashable, Sendable, Comparable {
  /// Extrapolated from an earlier position without satellites.
  case deadReckoning
  /// Satellites alone.
  case autonomous
  /// The precise service.
  case precise
  /// Corrected by ground stations or by satellites.
  case differential
  case floatRTK
  case fixedRTK

  package static func < (left: NMEAQuality, right: NMEAQuality) -> Bool {
    left.rawValue < right.rawValue
  }
}

/// Whether a sentence has a valid position.
package enum NMEAValidity: Hashable, Sendable {
  /// There is none: a coordinate in the sentence, if any, must not be used.
  case none
  case solved(NMEAQuality)
  /// Simulated by software.
  case simulated
}

/// A coordinate as it was written.
package struct NMEAPlace: Hashable, Sendable {
  package var coordinate: Coordinate
  /// The last written digit's unit, in degrees.
  package var resolution: Double

  /// Whether both may be the same place, written with different precision.
  package func agrees(with other: NMEAPlace) -> Bool {
    // Chosen: one unit for cutting instead of rounding, two for an instrument that extrapolates the
    // position between two sentences.
    let tolerance = 3.5 * max(resolution, other.resolution)
    let north = coordinate.latitude - other.coordinate.latitude
    let east = coordinate.longitude - other.coordinate.longitude
    return abs(north) <= tolerance && (abs(east) <= tolerance || abs(east) >= 360 - tolerance)
  }
}

/// The receiver's position, from GGA, GNS, RMC, and GLL.
package struct NMEAPosition: Hashable, Sendable {
  package var validity: NMEAValidity
  /// Absent whenever the validity is `.none`.
  package var place: NMEAPlace?
  /// Meters above mean sea level.
  package var altitude: Double?
  /// Meters of mean sea level above the ellipsoid.
  package var undulation: Double?
  package var hdop: Double?
  package var satellitesUsed: Int?
  /// Whether it is from GLL, which has only a place and its time.
  package var isBare = false

  init(validity: NMEAValidity, place: NMEAPlace?) {
    self.validity = validity
    self.place = place
  }
}

/// The receiver's motion, from RMC and VTG.
package struct NMEAMotion: Hashable, Sendable {
  /// Meters per second, not negative.
  package var speed: Double?
  /// Degrees from true north, in `0..<360`.
  package var course: Double?
}

/// Whether the receiver solves for height, and how good the satellite geometry is (GSA).
package struct NMEADilution: Hashable, Sendable {
  package enum Solution: Hashable, Sendable {
    case none, flat, full
  }

  package var solution: Solution?
  package var satellitesUsed: Int
  package var hdop: Double?
  package var vdop: Double?
}

/// The receiver's own estimate of its error (GST): one standard deviation, in meters.
package struct NMEAErrors: Hashable, Sendable {
  package var latitude: Double?
  package var longitude: Double?
  package var altitude: Double?

  package init(latitude: Double?, longitude: Double?, altitude: Double?) {
    self.latitude = latitude
    self.longitude = longitude
    self.altitude = altitude
  }
}

/// One message of a series about the satellites of one constellation (GSV).
package struct NMEASky: Hashable, Sendable {
  /// The second letter of the talker, which names the constellation.
  package var constellation: UInt8
  /// In `1...`; message 1 begins a new series.
  package var message: Int
  /// Satellites of this constellation above the horizon.
  package var inView: Int
  /// dB-Hz of the strongest satellite in this message.
  package var strongest: Int?
}

/// The direction of the device, in degrees in `0..<360`; at least one of the two is present.
package struct NMEAHeading: Hashable, Sendable {
  /// From magnetic north, with the compass's own deviation removed.
  package var magnetic: Double?
  /// From true north.
  package var geographic: Double?

  package init(magnetic: Double? = nil, geographic: Double? = nil) {
    self.magnetic = magnetic
    self.geographic = geographic
  }
}

/// A parsed sentence.
package enum NMEASentence: Hashable, Sendable {
  /// GGA, GNS, or GLL; the time of day is in nanoseconds.
  case position(NMEAPosition, timeOfDay: Int64?)
  /// RMC.
  case minimum(NMEAPosition, NMEAMotion, timeOfDay: Int64?, NMEADate?)
  /// VTG.
  case motion(NMEAMotion)
  case dilution(NMEADilution)
  case sky(NMEASky)
  case errors(NMEAErrors, timeOfDay: Int64?)
  /// ZDA.
  case date(NMEADate, timeOfDay: Int64)
  case heading(NMEAHeading)
  /// A correct sentence without any content.
  case empty

  /// The time of day of the sentence, in nanoseconds, if it has one.
  package var timeOfDay: Int64? {
    switch self {
    case .position(_, let time), .minimum(_, _, let time, _), .errors(_, let time): time
    case .date(_, let time): time
    case .motion, .dilution, .sky, .heading, .empty: nil
    }
  }
}
