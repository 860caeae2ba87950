package import LocationModel
package import LocationProviders

/// The radios as the device sees them: a scan of Wi-Fi and a report of the modem's cells in each line,
/// made from the truth.
///
/// What it receives of an access point falls with the distance as within buildings and with each
/// ceiling between, is shadowed by what stands around (the same at each visit of a place), and varies
/// from scan to scan.
package struct VirtualRadio: Hashable, Sendable {
  /// In the order of their addresses, unless there are too many to consider each.
  private var accessPoints: [VirtualAccessPoint] = []
  /// Those of a city; `nil` where all are in `accessPoints`.
  private var city: AccessPointGrid?
  /// Those that are where the device is, in the order of their addresses.
  private var travelers: [VirtualAccessPoint] = []
  private let hasWiFi: Bool
  /// Whether the device is where those are that travel.
  package var hasCompany = true
  private var cells: VirtualCells
  /// Between two scans.
  package var interval = Duration.seconds(10)
  /// When the next scan is complete; `nil` while nobody needs one.
  package private(set) var nextDeadline: Instant?
  private let seed: UInt64
  private var chance: NormalNoise
  /// The scans so far.
  private var scans: UInt64 = 0

  /// - Parameters:
  ///   - accessPoints: the access points; `nil` for a device that has a modem alone.
  ///   - cells: the cells.
  ///   - seed: the seed of shadows and noise.
  package init(
    _ accessPoints: [VirtualAccessPoint]? = [], cells: [VirtualCell] = [], seed: UInt64 = 1
  ) {
    hasWiFi = accessPoints != nil
    self.seed = seed ^ 0x5CA2_5CA2
    chance = NormalNoise(seed: self.seed)
    self.cells = VirtualCells(cells, seed: seed)
    set(accessPoints ?? [])
  }

  /// Sets which access points there are from now on; one without a place on Earth is not received.
  package mutating func set(_ accessPoints: [VirtualAccessPoint]) {
    guard hasWiFi else { return }
    let all = accessPoints.filter(\.isPossible).sorted { $0.address < $1.address }
    travelers = all.filter { $0.place == nil }
    let fixed = all.filter { $0.place != nil }
    (self.accessPoints, city) =
      fixed.count <= Self.mostConsidered
      ? (fixed, nil) : ([], AccessPointGrid(fixed, reach: Self.reach(of: fixed)))
  }

  /// Sets which cells there are from now on.
  package mutating func set(_ cells: [VirtualCell]) { self.cells.set(cells) }

  /// Where its bytes come from.
  package var source: Source { .scans(host: "radio", port: 10_109) }

  package mutating func open(at now: Instant) { nextDeadline = now + Self.scanTime }

  package mutating func close() { nextDeadline = nil }

  /// Returns the scan that is complete now; none between two scans.
  package mutating func wake(at now: Moment, truth: Truth) -> [UInt8] {
    guard let due = nextDeadline, now.uptime >= due else { return [] }
    nextDeadline = due + interval
    scans &+= 1
    var chance = chance
    var readings = accessPoints.compactMap { reading(of: $0, at: truth, &chance) }
    self.chance = chance
    // Each draws for itself, so that it does not matter which others are considered.
    let others = (city?.near(truth.coordinate) ?? []) + (hasCompany ? travelers : [])
    readings += others.compactMap { accessPoint in
      var own = NormalNoise(seed: seed ^ accessPoint.address.bits << 16 ^ scans)
      return reading(of: accessPoint, at: truth, &own)
    }
    if readings.count > Self.mostReceived {
      readings.sort {
        ($1.level ?? 0, $0.transmitter) < ($0.level ?? 0, $1.transmitter)
      }
      readings.removeLast(readings.count - Self.mostReceived)
    }
    readings += cells.readings(at: truth.coordinate)
    readings.sort { $0.transmitter < $1.transmitter }
    return ScanLine.write(RadioScan(readings, time: now.unixTime))
  }

  private func reading(
    of accessPoint: VirtualAccessPoint, at truth: Truth, _ chance: inout NormalNoise
  ) -> RadioScan.Reading? {
    let mean = level(of: accessPoint, at: truth)
    let level = (mean + Self.fading * chance.normal()).rounded()
    // Drawn whether or not it is received, so that the noise of those after it does not depend on the
    // device's place. It does depend on how many there are before.
    let isMissed = chance.uniform() > Self.probability(of: level)
    guard level >= Self.faintest, !isMissed else { return nil }
    return RadioScan.Reading(.accessPoint(accessPoint.address), level: min(level, Self.loudest))
  }

  /// dBm that a device receives on average.
  private func level(of accessPoint: VirtualAccessPoint, at truth: Truth) -> Double {
    guard let place = accessPoint.place else {
      return accessPoint.level - Self.loss(over: Self.seat)
    }
    let offset = LocalFrame(center: place).offset(of: truth.coordinate)
    let climb = accessPoint.altitude.map { abs(truth.altitude - $0) } ?? 0
    let distance = hypotenuse(hypotenuse(offset.east, offset.north), climb)
    let ceilings = (climb / Self.story).rounded()
    let shadow = Self.shadow.level(
      of: seed ^ accessPoint.address.bits, east: offset.east, offset.north)
    return accessPoint.level - Self.loss(over: max(distance, 1)) + shadow
      - ceilings * Self.lossOfCeiling
  }

  /// dB by which the level falls from one meter to so many.
  private static func loss(over distance: Double) -> Double {
    PathLoss.decibels(over: distance, exponent: pathLossExponent)
  }

  /// Meters within which one of these may be received: where the loudest is three deviations of
  /// shadows and fading too faint.
  private static func reach(of accessPoints: [VirtualAccessPoint]) -> Double {
    let loudest = accessPoints.reduce(faintest) { max($0, $1.level) }
    let deviation = hypotenuse(shadow.deviation, fading)
    return power(10, (loudest - faintest + 3 * deviation) / (10 * pathLossExponent))
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
  private static let shadow = RadioShadow(deviation: 6, width: 15)
  /// dB, one standard deviation from scan to scan.
  private static let fading = 2.0
  /// Meters from floor to floor. Chosen: between a dwelling and an office.
  private static let story = 3.5
  /// dB of each ceiling: that of an office's first floor (ITU-R P.1238, 15 + 4 (n - 1) dB at 1.8 to
  /// 2 GHz), for every floor as in the model of several walls.
  private static let lossOfCeiling = 15.0
  /// Meters to what travels with the device. Chosen: a bag, or a few seats.
  private static let seat = 3.0
  /// dBm.
  private static let faintest = -95.0
  private static let loudest = -20.0
  /// Access points of which each is considered in each scan. Chosen: those of a block of houses.
  package static let mostConsidered = 1000
  /// Access points of a scan, the loudest. Chosen: the reader of scans takes 512 transmitters.
  private static let mostReceived = 400
}
