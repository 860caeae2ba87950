/// Makes a coordinate; the numbers are not checked.
///
/// - Parameters:
///   - latitude: Degrees in -90...90, positive north of the equator.
///   - longitude: Degrees in -180...180, positive east of Greenwich.
/// - Returns: The coordinate.
public func CLLocationCoordinate2DMake(
  _ latitude: CLLocationDegrees, _ longitude: CLLocationDegrees
) -> CLLocationCoordinate2D {
  CLLocationCoordinate2D(latitude: latitude, longitude: longitude)
}

/// Checks that a coordinate is valid (LOC-16).
///
/// - Parameter coord: The coordinate.
/// - Returns: Whether both numbers are finite, the latitude is in -90...90, and the longitude in
///   -180...180.
public func CLLocationCoordinate2DIsValid(_ coord: CLLocationCoordinate2D) -> Bool {
  coord.latitude.magnitude <= 90 && coord.longitude.magnitude <= 180
}

extension CLLocationCoordinate2D {
  /// The coordinate in the format of Core Location's descriptions (LOC-12).
  var text: String { String(format: "<%+.8f,%+.8f>", latitude, longitude) }
}

/// The invalid coordinate: -180 degrees twice (LOC-16).
public let kCLLocationCoordinate2DInvalid = CLLocationCoordinate2D(latitude: -180, longitude: -180)
