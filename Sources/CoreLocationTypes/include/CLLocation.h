#pragma once

/// Degrees.
typedef double CLLocationDegrees;
/// Meters; negative while invalid.
typedef double CLLocationAccuracy;
/// Meters per second; negative while invalid.
typedef double CLLocationSpeed;
/// Meters per second; negative while invalid.
typedef double CLLocationSpeedAccuracy;
/// Degrees clockwise from true north, in 0..<360; negative while invalid.
typedef double CLLocationDirection;
/// Degrees; negative while invalid.
typedef double CLLocationDirectionAccuracy;
/// Meters.
typedef double CLLocationDistance;

/// A place on the WGS 84 ellipsoid.
///
/// A C structure, so that it is what it is on Apple's systems: trivial, sendable, zero by default,
/// and neither equatable, hashable, nor codable until an app says so.
typedef struct CLLocationCoordinate2D {
  /// Degrees north of the equator, in -90...90.
  CLLocationDegrees latitude;
  /// Degrees east of Greenwich, in -180...180.
  CLLocationDegrees longitude;
} CLLocationCoordinate2D;
