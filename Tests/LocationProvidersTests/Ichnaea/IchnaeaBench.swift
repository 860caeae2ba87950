import LocationModel
import LocationProviders
import TestSupport

/// The driver of a location service, and a service that answers as a test says.
struct IchnaeaBench {
  private var bench: Bench<AnyDriver>
  private static let service = IchnaeaService(
    WebServer("https://locate.test/v1/geolocate"), key: "k1", contact: "owner@example.org")
  static let place = #"{"location":{"lat":48.11,"lng":11.51},"accuracy":40}"#
  static let tooFew =
    "scans with fewer than two access points and no cell, which a service cannot place"
  static let cell = RadioScan.Reading(
    .cell(CellIdentity(radio: .lte, country: 262, network: 1, area: 5, cell: 1234)), level: -95,
    isServing: true)

  init(submits: Bool = false) {
    let source = submits ? Source.geosubmit(Self.service) : .ichnaea(Self.service)
    bench = Bench(AnyDriver(source.driver))
    bench.send(.stored([]))
  }

  /// So many access points, each of a box of its own, and each a decibel weaker than the one before.
  static func accessPoints(_ count: Int, from first: UInt64 = 0) -> [RadioScan.Reading] {
    (0..<count).map { number in
      let local = first & (1 << 41)
      let box = (0x1000 + (first ^ local) + UInt64(number)) << 4
      return RadioScan.Reading(
        .accessPoint(BSSID(box | local)),
        level: max(-50 - Double(number), -120), frequency: 2412)
    }
  }

  mutating func need() {
    var demand = Demand.none
    demand.position = PositionDemand(tier: .network, interval: .seconds(1))
    bench.send(.demand(demand))
  }

  mutating func rest() { bench.send(.demand(.none)) }

  mutating func scan(_ readings: [RadioScan.Reading], near fix: Fix? = nil) {
    bench.send(.scan(RadioScan(readings, time: bench.now.unixTime), near: fix))
  }

  mutating func answer(_ status: Int, _ body: String) {
    give(.response(status: status, body: Array(body.utf8), retryAfter: nil))
  }

  mutating func give(_ answer: WebAnswer) { bench.send(.channel(.answer(answer))) }

  mutating func run(seconds: Double) { bench.run(for: .seconds(seconds)) }

  var time: UnixTime { bench.now.unixTime }

  var requests: [WebRequest] {
    bench.outputs.compactMap { entry in
      if case .open(.web(let request)) = entry.output { request } else { nil }
    }
  }

  /// Seconds since the start.
  var requestTimes: [Double] {
    bench.outputs.compactMap { entry in
      if case .open = entry.output { (entry.at - Instant.start).inSeconds } else { nil }
    }
  }

  var closings: Int { bench.outputs.count { $0.output == .close } }

  var fixes: [Fix] {
    bench.outputs.compactMap { entry in
      if case .fix(let fix) = entry.output { fix } else { nil }
    }
  }

  var status: ProviderStatus {
    bench.outputs.compactMap { entry in
      if case .status(let status) = entry.output { status } else { nil }
    }.last ?? .idle
  }

  var rejections: [String: Int] {
    Dictionary(
      uniqueKeysWithValues: bench.machine.driver.rejections.map { ($0.reason, $0.count) })
  }
}
