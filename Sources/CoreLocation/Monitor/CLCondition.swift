/// A condition that `CLMonitor` can monitor.
public protocol CLCondition: Decodable, Encodable, Sendable {}

extension CLMonitor {
  /// The device is within a circle.
  public struct CircularGeographicCondition: CLCondition {
    /// The center of the circle.
    public let center: CLLocationCoordinate2D
    /// The radius of the circle in meters.
    public let radius: CLLocationDistance

    /// Makes a circle.
    ///
    /// - Parameters:
    ///   - center: The center of the circle.
    ///   - radius: Meters, greater than zero.
    public init(center: CLLocationCoordinate2D, radius: CLLocationDistance) {
      self.center = center
      self.radius = radius
    }

    private enum CodingKeys: CodingKey {
      case latitude, longitude, radius
    }

    /// Reads a circle.
    ///
    /// - Parameter decoder: The decoder to read from.
    /// - Throws: `DecodingError` when a value is missing or is no number.
    public init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      center = CLLocationCoordinate2D(
        latitude: try values.decode(Double.self, forKey: .latitude),
        longitude: try values.decode(Double.self, forKey: .longitude))
      radius = try values.decode(Double.self, forKey: .radius)
    }

    /// Writes the circle.
    ///
    /// - Parameter encoder: The encoder to write to.
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws {
      var values = encoder.container(keyedBy: CodingKeys.self)
      try values.encode(center.latitude, forKey: .latitude)
      try values.encode(center.longitude, forKey: .longitude)
      try values.encode(radius, forKey: .radius)
    }
  }

  /// The device is near a beacon; missing parts of the identity match any beacon (BEACON-4).
  public struct BeaconIdentityCondition: CLCondition {
    /// The proximity UUID that all beacons of one deployment share.
    public let uuid: UUID
    /// The number of a group of beacons; `nil` matches any.
    public let major: UInt16?
    /// The number of a beacon within its group; `nil` matches any.
    public let minor: UInt16?

    /// Makes a condition that matches every beacon of a deployment.
    ///
    /// - Parameter uuid: The proximity UUID that all beacons of one deployment share.
    public init(uuid: UUID) {
      self.uuid = uuid
      major = nil
      minor = nil
    }

    /// Makes a condition that matches every beacon of a group.
    ///
    /// - Parameters:
    ///   - uuid: The proximity UUID that all beacons of one deployment share.
    ///   - major: The number of a group of beacons within the deployment.
    public init(uuid: UUID, major: UInt16) {
      self.uuid = uuid
      self.major = major
      minor = nil
    }

    /// Makes a condition that matches one beacon.
    ///
    /// - Parameters:
    ///   - uuid: The proximity UUID that all beacons of one deployment share.
    ///   - major: The number of a group of beacons within the deployment.
    ///   - minor: The number of one beacon within its group.
    public init(uuid: UUID, major: UInt16, minor: UInt16) {
      self.uuid = uuid
      self.major = major
      self.minor = minor
    }
  }
}
