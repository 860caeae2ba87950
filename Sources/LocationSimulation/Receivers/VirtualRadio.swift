package import LocationModel
package import LocationProviders

/// An access point that stands somewhere in the world and sends.
package struct VirtualAccessPoint: Hashable, Sendable {
  package var address: BSSID
  package var place: Coordinate
  /// dBm that a device receives at one meter.
  package var level: Double

  /// Chosen: an access point of 100 mW.
  package static let usualLevel = -40.0

  package init(_ address: BSSID, at place: Coordinate, level: Double = Self.usualLevel) {
    (self.address, self.place, self.level) = (address, place, level)
  }
}

extension BSSID {
  /// The address of a simulated access point by its number: each is a box of its own.
  package static func simulated(_ number: UInt64) -> BSSID {
    BSSID(0x0011_2200_0000 | number << 4)
  }
}

/// A Wi-Fi radio as the device sees it: a scan in each line, made from the truth.
///
/// What it receives falls with the distance as within buildings, is shadowed by what stands around
/// (the same at each visit of a place), and varies from scan to scan.
package struct VirtualRadio: Hashable, Sendable {
  /// In the order of their addresses.
  private var accessPoints: [VirtualAccessPoint] = []
  /// Between two scans.
  package var interval = Duration.seconds(10)
  /// When the next scan is complete; `nil` while nobody needs one.
  package private(set) var nextDeadline: Instant?
  private let seed: UInt64
  private var chance: NormalNoise

  package init(_ accessPoints: [VirtualAccessPoint] = [], seed: UInt64 = 1) {
    self.seed = seed ^ 0x5CA2_5CA2
    chance = NormalNoise(seed: self.seed)
    set(accessPoints)
  }

  /// Sets which access points there are from now on.
  package mutating func set(_ accessPoints: [VirtualAccessPoint]) {
    self.accessPoints = accessPoints.sorted { $0.address < $1.address }
  }

  /// Where its bytes come from.
  package var source: Source { .scans(host: "radio", port: 10_109) }

  package mutating func open(at now: Instant) { nextDeadline = now + Self.scanTime }

  package mutating func close() { nextDeadline = nil }

  /// Returns the scan that is complete now; none between two scans.
  package mutating func wake(at now: Moment, truth: Truth) -> [UInt8] {
    guard let due = nextDeadline, now.uptime >= due else { return [] }
    nextDeadline = due + interval
    var readings: [RadioScan.Reading] = []
    for accessPoint in accessPoints {
      let mean = level(of: accessPoint, at: truth.coordinate)
      let level = (mean + Self.fading * chance.normal()).rounded()
      // Drawn for each, so that one access point does not change what the others do.
      let isMissed = chance.uniform() > Self.probability(of: level)
      guard level >= Self.faintest, !isMissed else { continue }
      readings.append(
        RadioScan.Reading(.accessPoint(accessPoint.address), level: min(level, Self.loudest)))
    }
    return ScanLine.write(RadioScan(readings, time: now.unixTime))
  }

  /// dBm that a device receives at a place on average.
  private func level(of accessPoint: VirtualAccessPoint, at device: Coordinate) -> Double {
    let frame = LocalFrame(center: accessPoint.place)
    let offset = frame.offset(of: device)
    let distance = max(hypotenuse(offset.east, offset.north), 1)
    let loss = 10 * Self.pathLossExponent * logarithm(distance) / logarithm(10)
    return accessPoint.level - loss + shadow(of: accessPoint, east: offset.east, offset.north)
  }

  /// dB by which what stands around a place changes what is received there: between the corners of
  /// squares, each with a value of its own.
  private func shadow(
    of accessPoint: VirtualAccessPoint, east: Double, _ north: Double
  ) -> Double {
    let (x, y) = (east / Self.shadowWidth, north / Self.shadowWidth)
    let (left, below) = (x.rounded(.down), y.rounded(.down))
    let (right, above) = (x - left, y - below)
    var sum = 0.0
    for (stepX, shareX) in [(0, 1 - right), (1, right)] {
      for (stepY, shareY) in [(0, 1 - above), (1, above)] {
        let corner = UInt64(bitPattern: Int64(left) + Int64(stepX)) &* 0x9e37_79b9
        let row = UInt64(bitPattern: Int64(below) + Int64(stepY)) &* 0x85eb_ca6b
        var noise = NormalNoise(seed: seed ^ accessPoint.address.bits ^ corner ^ row << 20)
        sum += shareX * shareY * noise.normal()
      }
    }
    return Self.shadowing * sum
  }

  /// How probably a signal of a strength is received during a scan: always at -70 dBm and above, half
  /// of the time at -90.
  private static func probability(of level: Double) -> Double {
    min(1, max(0, 1 - (-70 - level) / 40))
  }

  /// Of a passive scan of all channels, as measured in the emulated machine.
  private static let scanTime = Duration.seconds(4)
  /// Through walls; 2 in free space. Customary.
  private static let pathLossExponent = 3.0
  /// dB, one standard deviation, and meters over which it changes. Customary.
  private static let shadowing = 6.0
  private static let shadowWidth = 15.0
  /// dB, one standard deviation from scan to scan.
  private static let fading = 2.0
  /// dBm.
  private static let faintest = -95.0
  private static let loudest = -20.0
}
