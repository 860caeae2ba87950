package import LocationModel

/// Learns a compass's calibration while it is used.
///
/// A moved center is fitted first, the whole ellipsoid when the device was turned every way. What
/// disagrees with a trusted calibration is kept apart: a magnet passed by leaves no trace, and one
/// that was mounted makes a calibration of its own.
package struct CompassCalibrator: Sendable {
  package private(set) var calibration: CompassCalibration?
  private var agreeing = CalibrationPoints()
  private var doubtful = CalibrationPoints()

  package init(calibration: CompassCalibration?) {
    self.calibration = calibration
  }

  /// Whether the calibration is a new one.
  package mutating func learn(_ raw: DeviceVector) -> Bool {
    if let calibration, isDoubtful(raw, calibration) {
      guard let new = doubtful.fit(with: raw) else { return false }
      self.calibration = new
      agreeing = doubtful
      doubtful = CalibrationPoints()
      return true
    }
    guard let new = agreeing.fit(with: raw), isBetter(new) else { return false }
    calibration = new
    return true
  }

  private func isDoubtful(_ raw: DeviceVector, _ calibration: CompassCalibration) -> Bool {
    guard calibration.spread <= Self.trust * calibration.radius else { return false }
    let error = calibration.field(raw).magnitude - calibration.radius
    return error.magnitude > Self.doubt * calibration.radius
  }

  private func isBetter(_ new: CompassCalibration) -> Bool {
    guard let calibration else { return true }
    return new.spread < Self.gain * calibration.spread(of: agreeing.points)
  }

  /// A share of the radius: a calibration that errs less is trusted. Chosen.
  private static let trust = 0.03
  /// A share of the radius: what differs more is not the field that was learned. Chosen.
  private static let doubt = 0.1
  /// A new calibration must err less than this share of the old one's error, or the store would be
  /// written for nothing.
  private static let gain = 0.8
}

/// Points of the field that lie apart from each other.
private struct CalibrationPoints: Sendable {
  /// Microtesla, along the device's axes, oldest first.
  private(set) var points: [DeviceVector] = []
  /// Points added since the last fit.
  private var news = 0

  /// A sound calibration from all points; `nil` while `raw` adds too little.
  mutating func fit(with raw: DeviceVector) -> CompassCalibration? {
    guard !points.contains(where: { ($0 - raw).magnitude < Self.spacing }) else { return nil }
    if points.count == Self.capacity { points.removeFirst() }
    points.append(raw)
    news += 1
    guard news >= Self.timeout else { return nil }
    news = 0
    return sound(EllipsoidFit.ellipsoid, count: 30, span: 1.6)
      ?? sound(EllipsoidFit.sphere, count: 10, span: 1)
  }

  /// What `fit` makes of at least `count` points, when it is the Earth's sphere and the points span
  /// `span` of its radii along every axis.
  private func sound(
    _ fit: ([DeviceVector]) -> CompassCalibration?, count: Int, span: Double
  ) -> CompassCalibration? {
    guard points.count >= count, let found = fit(points), Self.earthly.contains(found.radius),
      found.spread <= Self.tolerance * found.radius
    else { return nil }
    let fields = points.map(found.field)
    let spans = [\DeviceVector.x, \.y, \.z].allSatisfy { axis in
      let values = fields.map { $0[keyPath: axis] }
      guard let low = values.min(), let high = values.max() else { return false }
      return high - low >= span * found.radius
    }
    return spans ? found : nil
  }

  /// Microtesla between two kept points. Chosen: fifteen degrees of a field of 50.
  private static let spacing = 12.0
  /// Points. Chosen: the sphere holds about 200 at this spacing.
  private static let capacity = 100
  /// Points between two fits.
  private static let timeout = 5
  /// Microtesla; the Earth's field at the surface with some margin.
  private static let earthly = 18.0...75.0
  /// A share of the radius. Chosen: worse than that, something else was near.
  private static let tolerance = 0.06
}
