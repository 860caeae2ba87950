package import LocationModel

/// Learns a compass's calibration during use.
///
/// It first fits a moved center, and the whole ellipsoid once the device was turned in all
/// directions. Points that contradict a trusted calibration are kept apart: a magnet that is passed
/// has no effect, and one that was mounted leads to a calibration of its own.
package struct CompassCalibrator: Sendable {
  package private(set) var calibration: CompassCalibration?
  private var agreeing = CalibrationPoints()
  private var doubtful = CalibrationPoints()

  package init(calibration: CompassCalibration?) {
    self.calibration = calibration
  }

  /// Learns from a reading; returns whether the calibration has changed.
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

  /// A share of the radius: a calibration with a smaller error is trusted. Chosen.
  private static let trust = 0.03
  /// A share of the radius: a greater difference means another field than the learned one. Chosen.
  private static let doubt = 0.1
  /// The error of a new calibration must be below this share of the old one's error, so that the
  /// store is not written without a benefit.
  private static let gain = 0.8
}

/// Points of the field at some distance from each other.
private struct CalibrationPoints: Sendable {
  /// Microtesla, along the device's axes, oldest first.
  private(set) var points: [DeviceVector] = []
  /// Points added since the last fit.
  private var newReadings = 0

  /// Returns a sound calibration from all points; `nil` while `raw` adds too little.
  mutating func fit(with raw: DeviceVector) -> CompassCalibration? {
    guard !points.contains(where: { ($0 - raw).magnitude < Self.spacing }) else { return nil }
    if points.count == Self.capacity { points.removeFirst() }
    points.append(raw)
    newReadings += 1
    guard newReadings >= Self.timeout else { return nil }
    newReadings = 0
    return sound(EllipsoidFit.ellipsoid, count: 30, span: 1.6)
      ?? sound(EllipsoidFit.sphere, count: 10, span: 1)
  }

  /// Fits at least `count` points; returns the result if it is a sphere of the Earth's field, and
  /// the points span `span` of its radii along every axis.
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
  /// A share of the radius. Chosen: with a greater error, something magnetic was near.
  private static let tolerance = 0.06
}
