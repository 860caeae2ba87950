package import LocationModel
package import LocationProviders

/// The radios as the device sees them: a scan of Wi-Fi and a report of the modem's cells in each line,
/// made from the truth.
///
/// What it receives of an access point falls with the distance as within buildings and with each
/// ceiling between, is shadowed by what stands around (the same at each visit of a place), and varies
/// from scan to scan. All of it follows from the access point, the seed, and the time, whatever others
/// there are.
package struct VirtualRadio: Hashable, Sendable {
  /// Those at fixed places, as they are at the beginning.
  private var fixed = Self.grid([])
  /// Those that are where the device is, in the order of their addresses.
  private var travelers: [VirtualAccessPoint] = []
  private let hasWiFi: Bool
  /// How those at fixed places change; `nil` where they do not.
  private let churn: AccessPointChurn?
  /// Whether the device is where those are that travel.
  package var hasCompany = true
  private var cells: VirtualCells
  /// Between two scans.
  package var interval = Duration.seconds(10)
  /// When the next scan is complete; `nil` while nobody needs one.
  package private(set) var nextDeadline: Instant?
  private let seed: UInt64

  /// - Parameters:
  ///   - accessPoints: the access points; `nil` for a device that has a modem alone.
  ///   - churn: how the access points change over time; `nil` where they do not.
  ///   - cells: the cells.
  ///   - seed: the seed of shadows, noise, and changes.
  package init(
    _ accessPoints: [VirtualAccessPoint]? = [], churn: AccessPointChurn? = nil,
    cells: [VirtualCell] = [], seed: UInt64 = 1
  ) {
    hasWiFi = accessPoints != nil
    self.churn = churn
    self.seed = seed ^ 0x5CA2_5CA2
    self.cells = VirtualCells(cells, seed: seed)
    set(accessPoints ?? [])
  }

  /// Sets which access points there are from now on, as they are before any change; one without a place
  /// on Earth is not received.
  package mutating func set(_ accessPoints: [VirtualAccessPoint]) {
    guard hasWiFi else { return }
    let all = accessPoints.filter(\.isPossible).sorted { $0.address < $1.address }
    travelers = all.filter { $0.place == nil }
    fixed = Self.grid(all, churn)
  }

  /// Those at fixed places, so that a scan considers only what is within reach of the loudest.
  private static func grid(
    _ accessPoints: [VirtualAccessPoint], _ churn: AccessPointChurn? = nil
  ) -> AccessPointGrid {
    let loudest = accessPoints.reduce(faintest) { max($0, $1.level) }
    let reach = power(10, (loudest - faintest + mostLuck) / (10 * pathLossExponent))
    return AccessPointGrid(
      accessPoints, reach: churn == nil ? reach : reach + AccessPointChurn.farthest)
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
    let travelers = hasCompany ? travelers : []
    var readings = accessPoints(at: now.uptime, truth)
    readings += travelers.compactMap { reading(of: $0, at: now.uptime, truth) }
    if readings.count > Self.mostReceived {
      readings.sort {
        ($1.level ?? 0, $0.transmitter) < ($0.level ?? 0, $1.transmitter)
      }
      readings.removeLast(readings.count - Self.mostReceived)
    }
    readings += cells.readings(at: truth.coordinate, now.uptime)
    readings.sort { $0.transmitter < $1.transmitter }
    return ScanLine.write(RadioScan(readings, time: now.unixTime))
  }

  /// What a survey has received at one place.
  package typealias Finding = (scan: RadioScan, place: Coordinate, floor: Int?)

  /// Returns what is received of access points at fixed places along a way that begins now, every two
  /// seconds.
  package func survey(of way: Journey, from now: Moment) -> [Finding] {
    let step = max(Self.surveyStep, way.duration / Self.mostFindings)
    return (0...max(0, Int(way.duration / step))).map { number in
      let truth = way.truth(at: step * number)
      let readings = accessPoints(at: now.uptime + step * number, truth)
      return (RadioScan(readings, time: now.unixTime), truth.coordinate, truth.floor)
    }
  }

  /// What is received of access points at fixed places.
  private func accessPoints(at now: Instant, _ truth: Truth) -> [RadioScan.Reading] {
    fixed.near(truth.coordinate).compactMap { accessPoint in
      let present = churn?.successor(of: accessPoint, at: now, seed: seed) ?? accessPoint
      return reading(of: present, at: now, truth)
    }
  }

  private func reading(
    of accessPoint: VirtualAccessPoint, at now: Instant, _ truth: Truth
  ) -> RadioScan.Reading? {
    guard let mean = level(of: accessPoint, at: truth) else { return nil }
    var chance = NormalNoise(of: seed ^ accessPoint.address.bits, at: now)
    let level = (mean + Self.fading * chance.normal()).rounded()
    let isMissed = chance.uniform() > Self.probability(of: level)
    guard level >= Self.faintest, !isMissed else { return nil }
    return RadioScan.Reading(.accessPoint(accessPoint.address), level: min(level, Self.loudest))
  }

  /// dBm that a device receives on average; `nil` where luck makes it no signal either.
  private func level(of accessPoint: VirtualAccessPoint, at truth: Truth) -> Double? {
    guard let place = accessPoint.place else {
      return accessPoint.level - Self.loss(over: Self.seat)
    }
    let offset = LocalFrame(center: place).offset(of: truth.coordinate)
    let climb = accessPoint.altitude.map { abs(truth.altitude - $0) } ?? 0
    let distance = hypotenuse(hypotenuse(offset.east, offset.north), climb)
    let ceilings = (climb / Truth.story).rounded()
    let mean =
      accessPoint.level - Self.loss(over: max(distance, 1)) - ceilings * Self.lossOfCeiling
    guard mean + Self.mostLuck >= Self.faintest else { return nil }
    return mean
      + Self.shadow.level(of: seed ^ accessPoint.address.bits, east: offset.east, offset.north)
  }

  /// dB by which the level falls from one meter to so many.
  private static func loss(over distance: Double) -> Double {
    PathLoss.decibels(over: distance, exponent: pathLossExponent)
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
  /// dB by which shadow and fading may lift a level. Chosen: three deviations of both.
  private static let mostLuck = 3 * hypotenuse(shadow.deviation, fading)
  /// dB of each ceiling: that of an office's first floor (ITU-R P.1238, 15 + 4 (n - 1) dB at 1.8 to
  /// 2 GHz), for every floor as in the model of several walls.
  private static let lossOfCeiling = 15.0
  /// Meters to what travels with the device. Chosen: a bag, or a few seats.
  private static let seat = 3.0
  /// dBm.
  private static let faintest = -95.0
  private static let loudest = -20.0
  /// From place to place of a survey. Chosen: each place of the map once, at the pace of a walk.
  private static let surveyStep = Duration.seconds(2)
  /// Places of a survey. Chosen: five hours of walking.
  private static let mostFindings = 10_000
  /// Access points of a scan, the loudest. Chosen: the reader of scans takes 512 transmitters.
  private static let mostReceived = 400
}
