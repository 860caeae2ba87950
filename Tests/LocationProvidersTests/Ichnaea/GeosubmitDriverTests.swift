import LocationModel
import LocationProviders
import TestSupport
import Testing

@Suite("A service that receives what the radios receive")
struct GeosubmitDriverTests {
  /// A journey to the north, with a scan each ten seconds.
  private struct Journey {
    var bench = IchnaeaBench(submits: true)
    private var meters = 0.0
    private var scans: UInt64 = 0

    /// So many seconds, at a speed in meters per second; 0 rests.
    mutating func go(_ seconds: Int, speed: Double = 20, accuracy: Double = 5, local: Bool = false)
    {
      for _ in 0..<(seconds / 10) {
        bench.run(seconds: 10)
        meters += speed * 10
        scans += 1
        let first = (local ? 1 << 41 : 0) + scans * 10
        bench.scan(IchnaeaBench.accessPoints(2, from: first), near: fix(accuracy))
      }
    }

    func fix(_ accuracy: Double = 5) -> Fix {
      Fix(
        coordinate: Coordinate(latitude: 48 + meters / 111_200, longitude: 11.5),
        horizontalAccuracy: accuracy, time: bench.time)
    }

    /// The latitudes that were sent, in meters north of the start, by request.
    var sent: [[Int]] {
      bench.requests.map { request in
        String(decoding: request.body ?? [], as: UTF8.self).matches(of: /"latitude":([0-9.]+)/)
          .map { Int(((Double($0.1) ?? 0) - 48) * 111_200) }
      }
    }
  }

  @Test("RADIO-48: receives journeys late, each ten minutes, with the hour, in no order")
  func journey() throws {
    var journey = Journey()
    journey.go(1200)
    #expect(journey.bench.requests.isEmpty, "sent before the end of the journey can be known")
    journey.go(60)
    let request = try #require(journey.bench.requests.first)
    #expect(request.url == "https://locate.test/v1/geolocate?key=k1")
    #expect(request.userAgent == "Meridian/\(Release.version) (+owner@example.org)")
    let body = String(decoding: request.body ?? [], as: UTF8.self)
    let hour = journey.bench.time.nanoseconds / 3_600_000_000_000 * 3_600_000
    #expect(body.hasPrefix("{\"items\":[{\"timestamp\":\(hour),\"position\":{\"latitude\":48.00"))
    #expect(body.contains("\"source\":\"gps\"},\"wifiAccessPoints\":[{\"macAddress\":"))
    #expect(journey.bench.status == .idle)
    journey.bench.answer(200, "{}")
    #expect(journey.bench.status == .working)
    journey.go(1200)
    journey.bench.answer(200, "{}")
    #expect(journey.bench.requestTimes.count == 2 || journey.bench.requestTimes.count == 3)
    let times = journey.bench.requestTimes
    #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 >= 600 })
    let all = journey.sent.flatMap(\.self)
    #expect(Set(all).count == all.count, "an observation was sent twice")
    #expect(zip(all.sorted(), all.sorted().dropFirst()).allSatisfy { $1 - $0 >= 99 })
  }

  @Test("RADIO-49: receives nothing of where the computer began, rested, or was last heard")
  func rests() {
    var journey = Journey()
    journey.go(300)
    // At 6,000 m for a quarter of an hour, then on; at 12,000 m the receiver is off for an hour.
    journey.go(900, speed: 0)
    journey.go(300)
    journey.bench.run(seconds: 3600)
    journey.go(3000)
    for _ in 0..<8 {
      journey.bench.answer(200, "{}")
      journey.go(600)
    }
    let sent = journey.sent.flatMap(\.self)
    #expect(sent.contains { (600..<5400).contains($0) } && sent.contains { $0 > 13_000 })
    for place in [0, 6000, 12_000] {
      #expect(sent.allSatisfy { abs($0 - place) >= 498 }, "near \(place): \(sent.sorted())")
    }
    #expect((journey.bench.rejections["\(Self.rest)"] ?? 0) > 30)
  }

  private static let rest =
    "observations near where this computer rested, which are sent to nobody"

  @Test("RADIO-48: receives no scan without a good position of its moment, and no given address")
  func refused() {
    var journey = Journey()
    journey.go(60, speed: 2)
    journey.go(600, accuracy: 40)
    journey.go(600, local: true)
    let old = journey.fix()
    journey.bench.run(seconds: 3)
    journey.bench.scan(IchnaeaBench.accessPoints(3), near: old)
    journey.bench.scan(IchnaeaBench.accessPoints(3))
    journey.bench.run(seconds: 3600)
    journey.bench.scan(IchnaeaBench.accessPoints(3), near: nil)
    #expect(journey.bench.requests.isEmpty)
    #expect(journey.bench.rejections["scans without a satellite position of the same moment"] == 61)
    #expect(
      journey.bench.rejections[
        "scans with fewer than two access points and no cell, which are of no use"] == 60)
  }

  @Test("RADIO-48: receives again what was not accepted, at growing distances")
  func failures() {
    var journey = Journey()
    journey.go(1260)
    let first = journey.sent[0]
    journey.bench.give(.unreachable("no route"))
    #expect(journey.bench.status == .unavailable(.unreachable("no route")))
    journey.go(1200)
    #expect(Set(journey.sent[1]).isSuperset(of: first), "what was refused is lost")
    journey.bench.answer(400, "")
    journey.go(3500)
    #expect(journey.sent.count == 2, "a refusal is followed by an hour")
    for _ in 0..<20 {
      journey.bench.give(.unreachable("no route"))
      journey.go(3600)
    }
    #expect(
      (journey.bench.rejections["observations dropped because the service accepts none"] ?? 0) > 0)
    let times = journey.bench.requestTimes
    #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 >= 600 })
  }
}
