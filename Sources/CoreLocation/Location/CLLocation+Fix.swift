import LocationModel

extension CLLocation {
  /// Converts a fix for the app: the only place where absent values become Apple's negative
  /// numbers.
  convenience init(_ fix: Fix) {
    self.init(Values(fix))
  }
}

extension CLLocation.Values {
  init(_ fix: Fix) {
    latitude = fix.coordinate.latitude
    longitude = fix.coordinate.longitude
    horizontalAccuracy = fix.horizontalAccuracy
    if let height = fix.altitude, let accuracy = fix.verticalAccuracy {
      altitude = height
      ellipsoidalAltitude = fix.ellipsoidalAltitude
      verticalAccuracy = accuracy
    }
    if let speed = fix.speed {
      self.speed = speed
      speedAccuracy = fix.speedAccuracy ?? -1
    }
    if let course = fix.course {
      self.course = course
      courseAccuracy = fix.courseAccuracy ?? -1
    }
    timestamp = Date(fix.time)
    floor = fix.floor
    origin = fix.origin
  }
}

extension Date {
  init(_ time: UnixTime) {
    self.init(timeIntervalSince1970: time.seconds)
  }
}

extension Coordinate {
  init(_ coordinate: CLLocationCoordinate2D) {
    self.init(latitude: coordinate.latitude, longitude: coordinate.longitude)
  }
}
