import LocationModel
import LocationProviders
import TestSupport
import Testing

@Suite("A location service as a source")
struct IchnaeaDriverTests {
  // MARK: What is sent

  @Test("RADIO-43: receives addresses, levels, and frequencies of what was received, and no more")
  func question() throws {
    var bench = IchnaeaBench()
    bench.need()
    bench.scan(IchnaeaBench.accessPoints(2) + [IchnaeaBench.cell])
    let request = try #require(bench.requests.first)
    #expect(request.url == "https://locate.test/v1/geolocate?key=k1")
    #expect(request.userAgent == "Meridian/\(Release.version) (+owner@example.org)")
    #expect(request.timeout == .seconds(5))
    #expect(
      String(decoding: request.body ?? [], as: UTF8.self) == """
        {"considerIp":false,"fallbacks":{"lacf":false,"ipf":false},"wifiAccessPoints":[\
        {"macAddress":"00:00:00:01:00:00","age":0,"signalStrength":-50,"frequency":2412},\
        {"macAddress":"00:00:00:01:00:10","age":0,"signalStrength":-51,"frequency":2412}],\
        "cellTowers":[{"radioType":"lte","mobileCountryCode":262,"mobileNetworkCode":1,\
        "locationAreaCode":5,"cellId":1234,"age":0,"signalStrength":-95}]}
        """)
  }

  @Test("RADIO-43: is not asked about one access point, a group's address, or half a cell")
  func tooLittle() {
    let group = RadioScan.Reading(.accessPoint(BSSID(0xffff_ffff_ffff)), level: -40)
    let half = CellIdentity(radio: .lte, country: 262, network: 1, area: nil, cell: 1234)
    let new = CellIdentity(radio: .nr, country: 262, network: 1, area: 5, cell: 1 << 35)
    let neighbor = CellChannel(radio: .lte, channel: 1300, physical: 7)
    let lists: [[RadioScan.Reading]] = [
      [], IchnaeaBench.accessPoints(1), IchnaeaBench.accessPoints(1) + [group],
      [.init(.cell(half), level: -90)], [.init(.cell(new), level: -90)],
      [.init(.neighbor(neighbor), level: -90)],
    ]
    for readings in lists {
      var bench = IchnaeaBench()
      bench.need()
      bench.scan(readings)
      #expect(bench.requests.isEmpty, "\(readings)")
      #expect(bench.rejections == ["\(IchnaeaBench.tooFew)": 1])
    }
  }

  @Test("RADIO-43: takes the networks of one box for one access point, the loudest")
  func siblings() throws {
    func network(_ address: UInt64, _ level: Double) -> RadioScan.Reading {
      RadioScan.Reading(.accessPoint(BSSID(address)), level: level)
    }
    // The last four bits, or the local one, differ.
    let box = [network(0x1000, -60), network(0x1001, -50), network(0x0200_0000_1002, -70)]
    var alone = IchnaeaBench()
    alone.need()
    alone.scan(box)
    #expect(alone.requests.isEmpty)
    #expect(alone.rejections == ["\(IchnaeaBench.tooFew)": 1])
    var bench = IchnaeaBench()
    bench.need()
    bench.scan(box + [network(0x1010, -80)])
    let body = String(decoding: try #require(bench.requests.first?.body), as: UTF8.self)
    #expect(body.matches(of: /macAddress/).count == 2)
    #expect(body.contains("00:00:00:00:10:01") && body.contains("00:00:00:00:10:10"))
  }

  @Test("RADIO-43: receives the loudest of many, and a scan of a minute ago no more")
  func bounded() throws {
    var bench = IchnaeaBench()
    bench.need()
    bench.scan(IchnaeaBench.accessPoints(300))
    let body = String(decoding: try #require(bench.requests.first?.body), as: UTF8.self)
    #expect(body.matches(of: /macAddress/).count == 20)
    #expect(body.contains("00:00:00:01:01:30") && !body.contains("00:00:00:01:01:40"))
    bench.answer(200, IchnaeaBench.place)
    bench.run(seconds: 90)
    bench.scan([IchnaeaBench.cell])
    let second = String(decoding: try #require(bench.requests.last?.body), as: UTF8.self)
    #expect(bench.requests.count == 2 && second.contains("\"wifiAccessPoints\":[]"))
  }

  // MARK: When it is asked

  @Test("RADIO-42: is asked only while a client needs a position")
  func demand() {
    var bench = IchnaeaBench()
    bench.scan(IchnaeaBench.accessPoints(3))
    #expect(bench.requests.isEmpty)
    bench.need()
    #expect(bench.requests.isEmpty, "a scan of before the demand was used")
    bench.scan(IchnaeaBench.accessPoints(3))
    #expect(bench.requests.count == 1)
    bench.rest()
    #expect(bench.closings == 1 && bench.status == .idle)
    // The answer comes too late.
    bench.answer(200, IchnaeaBench.place)
    bench.run(seconds: 3600)
    #expect(bench.fixes.isEmpty && bench.requests.count == 1)
  }

  @Test("RADIO-44: is asked every 30 seconds at most, and once a day about one place")
  func spacing() {
    var bench = IchnaeaBench()
    bench.need()
    for second in 0..<119 {
      bench.scan(IchnaeaBench.accessPoints(3, from: UInt64(second) * 10))
      bench.answer(200, IchnaeaBench.place)
      bench.run(seconds: 1)
    }
    #expect(bench.requestTimes == [0, 30, 60, 90])
    #expect(bench.fixes.count == 4)

    var still = IchnaeaBench()
    still.need()
    for _ in 0..<(25 * 6) {
      still.scan(IchnaeaBench.accessPoints(3))
      still.answer(200, IchnaeaBench.place)
      still.run(seconds: 600)
    }
    #expect(still.requestTimes == [0, 86_400])
    #expect(still.fixes.count == 150)
    #expect(Set(still.fixes.map(\.time)).count == 150, "a place has the time of its scan")
  }

  @Test("RADIO-44: is asked about a waiting scan as soon as it may be")
  func waiting() {
    var bench = IchnaeaBench()
    bench.need()
    bench.scan(IchnaeaBench.accessPoints(3))
    bench.answer(200, IchnaeaBench.place)
    bench.run(seconds: 5)
    bench.scan(IchnaeaBench.accessPoints(3, from: 500))
    bench.run(seconds: 60)
    #expect(bench.requestTimes == [0, 30])
  }

  @Test("RADIO-44: what it does not know is not asked again within a day")
  func unknown() {
    var bench = IchnaeaBench()
    bench.need()
    for _ in 0..<10 {
      bench.scan(IchnaeaBench.accessPoints(3))
      bench.answer(404, #"{"error":{"code":404,"errors":[{"reason":"notFound"}]}}"#)
      bench.run(seconds: 60)
    }
    #expect(bench.requests.count == 1 && bench.fixes.isEmpty && bench.status == .searching)
  }

  @Test("RADIO-44: remembers 256 places at most")
  func memory() {
    var bench = IchnaeaBench()
    bench.need()
    for round in 0..<300 {
      bench.scan(IchnaeaBench.accessPoints(3, from: UInt64(round) * 10))
      bench.answer(200, IchnaeaBench.place)
      bench.run(seconds: 30)
    }
    #expect(bench.requests.count == 300)
    bench.scan(IchnaeaBench.accessPoints(3, from: 2990))
    #expect(bench.requests.count == 300, "the newest is remembered")
    bench.scan(IchnaeaBench.accessPoints(3))
    #expect(bench.requests.count == 301, "the oldest was forgotten")
  }

  @Test("RADIO-44: after failures the pauses grow to an hour, or to what the service asks for")
  func backOff() {
    var bench = IchnaeaBench()
    bench.need()
    for _ in 0..<(4 * 360) {
      bench.scan(IchnaeaBench.accessPoints(3))
      bench.give(.unreachable("no answer"))
      bench.run(seconds: 10)
    }
    let pauses = zip(bench.requestTimes.dropFirst(), bench.requestTimes).map { $0 - $1 }
    #expect(pauses == [30, 60, 120, 240, 480, 960, 1920, 3600, 3600])

    for (asked, pause) in [(90, 90.0), (1, 30), (1_000_000, 86_400)] {
      var busy = IchnaeaBench()
      busy.need()
      busy.scan(IchnaeaBench.accessPoints(3))
      busy.give(.response(status: 429, body: [], retryAfter: .seconds(asked)))
      for _ in 0..<10_000 {
        busy.run(seconds: 10)
        busy.scan(IchnaeaBench.accessPoints(3))
      }
      #expect(busy.requestTimes.dropFirst().first == pause)
    }
  }

  // MARK: What is believed

  @Test("RADIO-45: gives a radius of 68 % and the time of the scan; a fallback is a region")
  func places() throws {
    var bench = IchnaeaBench()
    bench.need()
    bench.scan(IchnaeaBench.accessPoints(3))
    let time = bench.time
    bench.run(seconds: 2)
    bench.answer(200, #"{"location":{"lat":48.11,"lng":-0.5},"accuracy":80,"x":[{}]}"#)
    let fix = try #require(bench.fixes.first)
    #expect(fix.coordinate == Coordinate(latitude: 48.11, longitude: -0.5))
    #expect(fix.horizontalAccuracy == 50 && fix.time == time)
    #expect(fix.origin.method == .service && fix.speed == nil && fix.altitude == nil)
    #expect(bench.status == .working)

    bench.run(seconds: 60)
    bench.scan(IchnaeaBench.accessPoints(3, from: 70))
    bench.answer(200, #"{"location":{"lat":48,"lng":11},"accuracy":1,"fallback":"ipf"}"#)
    #expect(bench.fixes.last?.origin.method == .region)
    #expect(bench.fixes.last?.horizontalAccuracy == 15)
    #expect(bench.status == .searching)
  }

  @Test(
    "RADIO-46: an answer that is no place is counted with its reason, and is no position",
    arguments: [
      ("", "read"), ("[]", "read"), ("{", "read"), ("{}", "place"), (#"{"location":7}"#, "place"),
      (#"{"location":{"lat":1},"accuracy":9}"#, "place"),
      (#"{"location":{"lat":0,"lng":0},"accuracy":9}"#, "place"),
      (#"{"location":{"lat":91,"lng":0},"accuracy":9}"#, "place"),
      (#"{"location":{"lat":1e999,"lng":0},"accuracy":9}"#, "place"),
      (#"{"location":{"lat":NaN,"lng":1},"accuracy":9}"#, "place"),
      (#"{"location":{"lat":"1","lng":1},"accuracy":9}"#, "place"),
      (#"{"location":{"lat":1,"lng":1}}"#, "accuracy"),
      (#"{"location":{"lat":1,"lng":1},"accuracy":0}"#, "accuracy"),
      (#"{"location":{"lat":1,"lng":1},"accuracy":-5}"#, "accuracy"),
      (#"{"location":{"lat":1,"lng":1},"accuracy":1e9}"#, "accuracy"),
      (String(repeating: "[", count: 200_000), "read"),
      (
        #"{"location":{"lat":1,"lng":1},"accuracy":9,"x":""#
          + String(repeating: "x", count: 5_000_000) + "\"}", "read"
      ),
    ])
  func noPlace(body: String, reason: String) {
    var bench = IchnaeaBench()
    bench.need()
    bench.scan(IchnaeaBench.accessPoints(3))
    bench.answer(200, body)
    #expect(bench.fixes.isEmpty)
    #expect(bench.rejections.count == 1)
    #expect(bench.rejections.keys.first?.contains(reason) == true, "\(bench.rejections)")
    guard case .unavailable(.unreachable) = bench.status else {
      Issue.record("\(bench.status)")
      return
    }
  }

  @Test("RADIO-46: a refusal, a key that is not valid, and a limit differ in the status")
  func refusals() {
    let answers: [(WebAnswer, isRefusal: Bool, word: String)] = [
      (.response(status: 400, body: [], retryAfter: nil), true, "key"),
      (.response(status: 401, body: [], retryAfter: nil), true, "key"),
      (.response(status: 403, body: [], retryAfter: nil), true, "limit"),
      (.response(status: 403, body: [], retryAfter: .seconds(60)), false, "enough"),
      (.response(status: 500, body: [], retryAfter: nil), false, "500"),
      (.response(status: 204, body: [], retryAfter: nil), false, "204"),
      (.refused("write https"), true, "https"),
      (.unreachable("libcurl is not installed"), false, "libcurl"),
    ]
    for (answer, isRefusal, word) in answers {
      var bench = IchnaeaBench()
      bench.need()
      bench.scan(IchnaeaBench.accessPoints(3))
      bench.give(answer)
      switch bench.status {
      case .unavailable(.noPermission(let text)): #expect(isRefusal && text.contains(word))
      case .unavailable(.unreachable(let text)): #expect(!isRefusal && text.contains(word))
      default: Issue.record("\(answer): \(bench.status)")
      }
      #expect(bench.fixes.isEmpty)
      // It recovers.
      bench.run(seconds: 3600)
      bench.scan(IchnaeaBench.accessPoints(3))
      bench.answer(200, IchnaeaBench.place)
      #expect(bench.fixes.count == 1 && bench.status == .working)
    }
  }

  // MARK: Its URL

  @Test("RADIO-42: a source names a server; logs show no key")
  func url() throws {
    let source = try Source(url: "ichnaea:https://locate.test?key=k1&contact=owner@example.org")
    #expect(
      source.url
        == "ichnaea:https://locate.test/v1/geolocate?key=k1&contact=owner@example.org")
    #expect(try Source(url: source.url) == source)
    #expect(!source.loggedURL.contains("k1"))
    #expect(try Source(url: "ichnaea:https://a.test/x/").url == "ichnaea:https://a.test/x")
    #expect(source.tier == .network)
    for url in [
      "ichnaea:", "ichnaea://locate.test", "ichnaea:locate.test", "ichnaea:http://locate.test",
      "ichnaea:https://user@locate.test", "ichnaea:https://locate.test?x=1",
      "ichnaea:https://locate.test?key=a%20b", "ichnaea:https://locate.test?contact=a)",
      "ichnaea:https://locate.test?key=%0d%0aX", "ichnaea:http://localhost.evil.test",
      "ichnaea:https://locate.test?key=a%25b", "ichnaea:https://locate.test/\u{0}",
      "ichnaea:https://", "ichnaea:https://a b.test",
    ] {
      #expect(throws: SourceFault.self, "\(url)") { try Source(url: url) }
    }
    _ = try Source(url: "ichnaea:http://127.0.0.1:8080")
  }

  // Found by the fuzzer source-url: `%25` was read as `%` and written so, which is no URL.
  @Test("RADIO-42: the URL of a server stays as it is written")
  func escapedURL() throws {
    for url in ["ichnaea:https://a.test/x%20y", "geosubmit:https://a.test/2%25"] {
      #expect(try Source(url: url).url == url)
    }
    let slashes = try Source(url: "ichnaea:https://a.test//")
    #expect(try Source(url: slashes.url) == slashes)
  }
}
