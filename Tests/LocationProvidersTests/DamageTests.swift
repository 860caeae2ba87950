import LocationModel
import LocationProviders
import TestSupport
import Testing

/// Damages good input at random places: no input may make a reader trap or run without end.
@Suite("Damaged input")
struct DamageTests {
  private static let gpx = """
    <?xml version="1.0" encoding="UTF-8"?><gpx version="1.1" creator="a&amp;b"><wpt lat="1" lon="2">
    <time>2024-01-01T00:00:00Z</time></wpt><trk><trkseg><trkpt lat="1" lon="2"><ele>1e3</ele>
    <extensions><x:speed>1</x:speed></extensions></trkpt></trkseg></trk><!-- c --><![CDATA[d]]></gpx>
    """
  private static let reports = """
    {"class":"VERSION","release":"3.22","proto_major":3,"proto_minor":14}
    {"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/a","activated":1.5}]}
    {"class":"GST","time":"2024-01-01T00:00:00Z","lat":3,"lon":4,"alt":7.5}
    {"class":"TPV","mode":3,"time":"2024-01-01T00:00:01Z","lat":1.5,"lon":2,"eph":-3e2,"x":"\\u00e9"}
    {"class":"TPV","mode":3,"time":1700000000.5,"lat":1.5,"lon":2,"eph":3,"y":[[{}],nan,null,true]}

    """

  /// The text with a few bytes replaced, doubled, or cut out.
  private func damaged(_ text: String, _ random: inout SeededRandom) -> [UInt8] {
    var bytes = Array(text.utf8)
    for _ in 0..<Int.random(in: 1...6, using: &random) {
      let place = Int.random(in: 0..<bytes.count, using: &random)
      let end = min(bytes.count, place + Int.random(in: 1...20, using: &random))
      switch Int.random(in: 0..<4, using: &random) {
      case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
      case 1: bytes.insert(contentsOf: bytes[place..<end], at: place)
      case 2: bytes.removeSubrange(place..<min(end, bytes.count - 1))
      default:
        bytes[place] = Array("<>&\"[]{}\\/!;:09-+.e\n".utf8).randomElement(using: &random) ?? 0
      }
    }
    return bytes
  }

  @Test("of GPX gives a document of valid points, or a fault", arguments: 0..<20 as Range<UInt64>)
  func tracks(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    for _ in 0..<100 {
      guard let document = try? GPXReader.read(damaged(Self.gpx, &random)) else { continue }
      let points = document.waypoints + document.tracks.flatMap { $0.flatMap { $0 } }
      #expect(points.allSatisfy { $0.coordinate.isValid })
      var bench = Bench(TrackPlayer(TrackPath(document)))
      bench.run(for: .seconds(10))
    }
  }

  @Test("of gpsd gives valid fixes only", arguments: 0..<20 as Range<UInt64>)
  func reports(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    for _ in 0..<100 {
      var bench = Bench(GpsdClient())
      bench.run(for: .zero)
      bench.send(.connected)
      bench.send(.bytes(damaged(Self.reports, &random)))
      bench.run(for: .seconds(100))
      for case .fix(let fix, _) in bench.outputs.map(\.output) {
        #expect(fix.coordinate.isValid)
        #expect(fix.horizontalAccuracy > 0 && fix.horizontalAccuracy.isFinite)
      }
    }
  }

  @Test("of a log, or of recorded fixes, is survived", arguments: 0..<20 as Range<UInt64>)
  func logs(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    for _ in 0..<100 {
      let bytes = damaged(Self.reports + "$GPGGA,000000.0,4,N\n$GPGLL,1,2,3,4,010203.5,A", &random)
      var bench = Bench(LogPlayer(bytes, rate: 1000))
      bench.run(for: .seconds(10))
      #expect(bench.outputs.last?.output == .finished)
      #expect(FixesFile.read(bytes).fixes.allSatisfy { $0.coordinate.isValid })
    }
  }
}
