package import LocationModel

/// How access points change in the course of months: they are exchanged, moved, and removed while others
/// are added, as in a shopping mall.
///
/// Each changes by chance, at any time as probably as at any other. What has become of one follows from its
/// address and place, the seed, and the time alone. As many are added as are removed.
package struct AccessPointChurn: Hashable, Sendable {
  /// The part of the access points that has changed once or more after ``period``, in ``shares``.
  package let share: Double
  package let period: Duration

  package static let shares = 0.0...0.99
  /// Chosen: ten years of one then have at most 400,000 changes, of which each is drawn.
  package static let shortestPeriod = Duration.seconds(3600)

  /// - Parameters:
  ///   - share: what lies beyond ``shares`` counts as the nearest; what is no number, as 0.
  ///   - period: more than zero.
  package init(share: Double, in period: Duration) {
    self.share =
      share.isNaN ? 0 : min(max(share, Self.shares.lowerBound), Self.shares.upperBound)
    self.period = max(period, .milliseconds(1))
  }

  /// Returns what has become of an access point. Takes time linear in its changes.
  ///
  /// - Parameters:
  ///   - accessPoint: as it is at the beginning; one that travels with the device does not change.
  ///   - now: the present.
  ///   - seed: the seed of the world's radios.
  /// - Returns: what stands in for it: itself, itself elsewhere, or another one.
  package func successor(
    of accessPoint: VirtualAccessPoint, at now: Instant, seed: UInt64
  ) -> VirtualAccessPoint {
    guard let place = accessPoint.place, share > 0 else { return accessPoint }
    var chance = NormalNoise(seed: seed ^ accessPoint.address.bits ^ 0xC4A1_9E00)
    // Seconds from change to change, on average.
    let mean = period.inSeconds / -logarithm(1 - share)
    var left = now.seconds(since: .start)
    var present = accessPoint
    while true {
      left += mean * logarithm(1 - chance.uniform())
      guard left >= 0 else { return present }
      let kind = chance.uniform()
      if kind >= Self.moved {
        present.address = BSSID(UInt64(chance.uniform() * 0x1p48) & Self.maker)
      }
      if kind < Self.moved + Self.removed {
        let distance = Self.farthest * chance.uniform().squareRoot()
        present.place = place.moved(by: distance, towards: 360 * chance.uniform())
      }
    }
  }

  /// The bits of an address that is given by the maker of the device, to a box of its own.
  private static let maker: UInt64 = ~0x0300_0000_000f
  /// The share of changes by which an access point is elsewhere with the address that it had. Chosen.
  private static let moved = 0.25
  /// The share by which it is gone, and another one is there nearby. Chosen. The rest is exchanged in place.
  private static let removed = 0.25
  /// Meters from the first place within which access points are moved and added. Chosen: the neighboring
  /// shops.
  static let farthest = 50.0
}
