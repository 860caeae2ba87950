package import LocationModel

/// Whether a position was solved with its height.
package enum FixDimensions: Int, Hashable, Sendable {
  case two = 2
  case three = 3
}

extension NMEAEpoch {
  /// Two when the receiver has told no height, or says so itself with too few satellites for one.
  ///
  /// A GSA that says two dimensions with four satellites or more is a receiver's mistake
  /// (`telit-pls83-w.log`).
  package func dimensions(_ dilution: NMEADilution?) -> FixDimensions {
    guard altitude != nil else { return .two }
    let used = satellitesUsed ?? dilution?.satellitesUsed ?? 0
    return dilution?.solution == .flat && used < 4 ? .two : .three
  }

  /// The epoch's fix; `nil` without a position that every sentence agrees to.
  package func fix(
    at time: UnixTime, dilution: NMEADilution?, origin: Fix.Origin
  ) -> Fix? {
    guard let place, !isRefused else { return nil }
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
    fix.ellipsoidalAltitude = undulation.map { altitude + $0 }
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
