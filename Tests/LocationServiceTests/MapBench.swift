import LocationEngine
import LocationModel
import LocationProviders
import LocationRadio
import LocationService
import LocationSimulation
import TestSupport
import Testing

/// A host's core with a satellite receiver and a radio, in a street with six access points.
struct MapBench {
  var bench: Bench<ServiceCore>
  private(set) var open: [Int: ChannelID] = [:]
  /// Outputs that were looked at.
  private var seen = 0
  private static let client = ClientID(1)
  private static let manager = SubscriberID(1)
  static let street = LocalFrame(center: Coordinate(latitude: 48.11, longitude: 11.51))
  static let (receiver, radio) = (0, 1)

  init(
    _ urls: [String] = ["nmea+tcp://receiver:10110", "scans+tcp://radio:1"],
    stored: [StateEntry] = [], records: Bool = false
  ) throws {
    var core = ServiceCore(sources: try urls.map { try Source(url: $0) })
    if records { core.record() }
    bench = Bench(core, startingAt: UnixTime(milliseconds: 1_785_844_800_000))
    let manifest = Manifest([Manifest.Key.whenInUse: .string("to test")])
    let app = AppIdentity("an.app")
    engine(.stored(stored))
    engine(.client(Self.client, .connected(ClientDescription(app: app, manifest: manifest))))
    engine(.setting(.authorization(app, .whileUsing)))
  }

  mutating func engine(_ input: LocationEngine.Input) { send(.engine(input)) }

  mutating func send(_ input: ServiceCore.Input) {
    bench.send(input)
    answer()
  }

  mutating func start(_ options: UpdateOptions = UpdateOptions()) {
    engine(.client(Self.client, .request(.updates(Self.manager, .start(options)))))
  }

  /// Another part of the app asks, too.
  mutating func startAnother(_ options: UpdateOptions) {
    engine(.client(Self.client, .request(.updates(SubscriberID(2), .start(options)))))
  }

  mutating func stop() {
    engine(.client(Self.client, .request(.updates(Self.manager, .stop))))
  }

  /// Opens and closes channels as they are asked for.
  private mutating func answer() {
    while seen < bench.outputs.count {
      let output = bench.outputs[seen].output
      seen += 1
      switch output {
      case .open(let id, _):
        open[id.provider.index] = id
        bench.send(.channel(id, .opened))
      case .close(let id): open[id.provider.index] = nil
      default: break
      }
    }
  }

  mutating func run(seconds: Double) {
    bench.run(for: .seconds(seconds))
    answer()
  }

  // MARK: The street

  /// A second passes, at whose end the receiver has a position, so many meters along the street.
  mutating func fix(at east: Double, north: Double = 0) {
    run(seconds: 1)
    guard let id = open[Self.receiver] else { return }
    send(.channel(id, .bytes(epoch(at: Self.street.place(east: east, north: north)))))
  }

  /// The radio reports what it receives so many meters along the street.
  mutating func scan(at east: Double, of first: Int = 1, by radio: Int = Self.radio) {
    guard let id = open[radio] else { return }
    let readings = (0..<6).map { number in
      let level = -40 - abs(east - Double(number) * 20) * 0.8
      return RadioScan.Reading(
        .accessPoint(.simulated(UInt64(first + number))), level: max(level, -95))
    }
    let scan = RadioScan(readings, time: bench.now.unixTime)
    send(.channel(id, .bytes(ScanLine.write(scan))))
  }

  /// Walks along the street for so many seconds, with positions and scans.
  mutating func walk(_ seconds: Int) {
    for second in 0..<seconds {
      scan(at: Double(second))
      fix(at: Double(second))
    }
  }

  private func epoch(at place: Coordinate) -> [UInt8] {
    let seconds = Int(bench.now.unixTime.seconds) % 86_400
    func two(_ number: Int) -> String { (number < 10 ? "0" : "") + "\(number)" }
    let time = two(seconds / 3600) + two(seconds / 60 % 60) + two(seconds % 60)
    func angle(_ degrees: Double, width: Int) -> String {
      let whole = Int(degrees)
      let minutes = (degrees - Double(whole)) * 60
      let digits = String(Int((minutes * 1e6).rounded()) + 100_000_000).dropFirst()
      let text = digits.prefix(2) + "." + digits.dropFirst(2)
      return (width > 2 && whole < 100 ? "0" : "") + "\(whole)\(text)"
    }
    let position = "\(angle(place.latitude, width: 2)),N,\(angle(place.longitude, width: 3)),E"
    return NMEAWriter.sentence("GPRMC,\(time),A,\(position),001.9,90.0,040826,,,A")
      + NMEAWriter.sentence("GPGGA,\(time),\(position),1,08,0.9,545.4,M,46.9,M,,")
  }

  // MARK: What came of it

  /// The positions that the app received, each with how it was found.
  var fixes: [Fix] {
    bench.outputs.flatMap { entry -> [Fix] in
      guard case .engine(.deliver(_, .updates(_, .fixes(let fixes)))) = entry.output else {
        return []
      }
      return fixes
    }
  }

  var ignored: [(fix: Fix, reason: IgnoreReason)] {
    bench.outputs.compactMap { entry in
      guard case .engine(.ignored(let fix, _, let reason)) = entry.output else { return nil }
      return (fix, reason)
    }
  }

  /// The rows of the map that are stored by now.
  var rows: [StateEntry] {
    var rows: [StateKey: [UInt8]] = [:]
    for entry in bench.outputs {
      switch entry.output {
      case .engine(.persist(.set(let key, let value))): rows[key] = value
      case .engine(.persist(.remove(let key))): rows[key] = nil
      default: break
      }
    }
    return rows.filter { $0.key.domain == RadioMap.domain }.sorted { $0.key < $1.key }
      .map { StateEntry(key: $0.key, value: $0.value) }
  }

  /// Cells of the map with access points.
  var taught: Int { bench.machine.map?.layer(.accessPoints)?.cellCount ?? 0 }

  /// Meters from a place along the street.
  static func error(of fix: Fix, at east: Double) -> Double {
    LocalFrame(center: street.place(east: east, north: 0)).distance(to: fix.coordinate)
  }
}
