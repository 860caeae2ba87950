package import LocationModel

/// Whether a position was solved together with its height.
package enum FixDimensions: Int, Hashable, Sendable {
  case two = 2
  case three = 3
}

extension NMEAEpoch {
  /// The dimensions that the receiver sends in GSA; without GSA, three when it has sent a height.
  ///
  /// A GSA with two dimensions and four satellites or more is a receiver's mistake
  /// (`telit-pls83-w.log`).
  package func dimensions(_ dilution: NMEADilution?) -> FixDimensions {
    let used = satellitesUsed ?? dilution?.satellitesUsed ?? 0
    switch dilution?.solution {
    case .full: return .three
    case .flat where used < 4: return .two
    case .flat, nil, NMEADilution.Solution.none?: return altitude == nil ? .two : .three
    }
  }

  /// Makes a fix of this epoch, at one of its places.
  package func fix(
    at place: NMEAPlace, _ time: UnixTime, _ dilution: NMEADilution?, _ origin: Fix.Origin
  ) -> Fix {
    let quality = quality ?? .autonomous
    let hdop = hdop ?? dilution?.hdop
    var origin = origin
    origin.isSimulated = origin.isSimulated || isSimulated
    var fix = Fix(
      coordinate: place.coordinate,
      horizontalAccuracy: NMEAAccuracy.horizontal(
        errors: errors, hdop: hdop, quality: quality),
      time: time, origin: origin)
    addHeight(to: &fix, dilution, quality)
    addMotion(to: &fix, NMEAAccuracy.speed(hdop: hdop))
    return fix
  }

  private func addHeight(to fix: inout Fix, _ dilution: NMEADilution?, _ quality: NMEAQuality) {
    guard dimensions(dilution) == .three, let altitude else { return }
    fix.altitude = altitude
    fix.completeHeights(undulation: undulation)
    fix.verticalAccuracy = NMEAAccuracy.vertical(
      errors: errors, vdop: dilution?.vdop, horizontal: fix.horizontalAccuracy,
      quality: quality)
  }

  private func addMotion(to fix: inout Fix, _ accuracy: Double) {
    guard let speed = motion.speed else { return }
    fix.speed = speed
    fix.speedAccuracy = accuracy
    guard let course = motion.course, speed >= Self.minimumSpeedForCourse else { return }
    fix.course = course
    fix.courseAccuracy = NMEAAccuracy.course(speed: speed, speedAccuracy: accuracy)
  }

  /// Meters per second. Chosen: below it a receiver's course is noise.
  private static let minimumSpeedForCourse = 0.5
}
