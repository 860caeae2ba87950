import LocationFleet
import LocationModel
import LocationProviders
import Testing

@Suite("What devices send")
struct DeviceReportTests {
  private let truck = FleetDeviceName(tenant: "acme", device: "truck 1")

  private func lines(_ text: String, of name: FleetDeviceName? = nil) -> [String] {
    let report = DeviceReport(Array(text.utf8), of: name ?? truck)
    return report.messages.flatMap {
      String(decoding: $0, as: UTF8.self).split(separator: "\n").map(String.init)
    }
  }

  private func rejected(_ text: String) -> [DeviceReport.Reason: Int] {
    let report = DeviceReport(Array(text.utf8), of: truck)
    #expect(report.messages.isEmpty && report.fixes == 0)
    return report.rejected
  }

  @Test(
    "FLEET-30: each form of a position gives the same line",
    arguments: [
      #"{"_type":"location","lat":46.52,"lon":6.63,"tst":1780000000,"acc":8,"alt":480,"vac":3,"vel":36,"cog":90,"tid":"t1","topic":"owntracks/a/b"}"#,
      #"{"device_id":"truck 1","location":{"timestamp":"2026-05-28T20:26:40.000Z","coords":{"latitude":46.52,"longitude":6.63,"accuracy":8,"speed":10,"heading":90,"altitude":480},"is_moving":true,"battery":{"level":0.5}}}"#,
      "{\n  \"type\": \"fix\",\n  \"date\": \"2026-05-28T20:26:40Z\",\n  \"latitude\": 46.52,\n  \"longitude\": 6.63, \"horizontal_accuracy\": 8, \"altitude\": 480, \"speed\": 10, \"course\": 90}",
      #"{"class":"TPV","device":"/dev/ttyS0","mode":3,"time":"2026-05-28T20:26:40.000Z","lat":46.52,"lon":6.63,"altMSL":480,"track":90,"speed":10,"eph":12.971518}"#,
    ])
  func forms(text: String) throws {
    let found = try #require(lines(text).first)
    let line = try #require(try FleetLine(Array(found.utf8)))
    #expect(line.tenant == "acme" && line.device == "truck 1")
    #expect(line.fix.time.iso8601 == "2026-05-28T20:26:40.000Z")
    #expect(line.fix.coordinate.latitude == 46.52 && line.fix.coordinate.longitude == 6.63)
    #expect(abs(line.fix.horizontalAccuracy - 8) < 0.001)
    #expect(line.fix.altitude == 480 && line.fix.speed == 10 && line.fix.course == 90)
  }

  @Test("FLEET-30: the parameters of OsmAnd give that line, the speed in knots")
  func query() throws {
    let query = [
      ("id", "truck 1"), ("timestamp", "1780000000"), ("lat", "46.52"), ("lon", "6.63"),
      ("accuracy", "8"), ("speed", "19.438445"), ("bearing", "90"), ("altitude", "480"),
      ("batt", "50"),
    ].map { (name: $0.0, value: $0.1) }
    let report = DeviceReport(query: query, of: truck)
    let line = try #require(try FleetLine(report.messages[0]))
    #expect(line.fix.time.iso8601 == "2026-05-28T20:26:40.000Z")
    #expect(line.fix.coordinate.latitude == 46.52)
    #expect(abs((line.fix.speed ?? 0) - 10) < 0.0001)
    #expect(line.fix.course == 90 && line.fix.altitude == 480)
    for time in ["1780000000000", "2026-05-28T20:26:40Z"] {
      let same = query.map { $0.name == "timestamp" ? (name: $0.name, value: time) : $0 }
      #expect(DeviceReport(query: same, of: truck) == report)
    }
  }

  @Test(
    "FLEET-30: parameters without a position or a date of their own give none",
    arguments: [
      (["lat": "nan"], DeviceReport.Reason.coordinate), (["lat": "0x1p3"], .coordinate),
      (["lat": "91"], .coordinate), (["lon": ""], .coordinate), (["timestamp": "soon"], .date),
      (["timestamp": "1e300"], .date), (["valid": "false"], .noPosition),
      (["id": "truck 2"], .device),
      (["deviceid": "truck 2"], .device),
    ])
  func badQuery(change: [String: String], reason: DeviceReport.Reason) {
    let good = ["id": "truck 1", "timestamp": "1780000000", "lat": "46.52", "lon": "6.63"]
    let query = good.merging(change) { $1 }.map { (name: $0.key, value: $0.value) }
    #expect(DeviceReport(query: query, of: truck).rejected == [reason: 1])
    let doubled = good.map { (name: $0.key, value: $0.value) } + [(name: "lat", value: "1")]
    #expect(DeviceReport(query: doubled, of: truck).rejected == [.malformed: 1])
  }

  @Test(
    "FLEET-31: what is not used has its reason, and nothing is invented",
    arguments: [
      (#"{"_type":"location","lat":46.52,"lon":6.63}"#, DeviceReport.Reason.date),
      (#"{"_type":"location","lat":46.52,"tst":1780000000}"#, .coordinate),
      (#"{"_type":"location","lat":nan,"lon":6.63,"tst":1780000000}"#, .coordinate),
      (#"{"_type":"location","lat":"46.52","lon":6.63,"tst":1780000000}"#, .coordinate),
      (#"{"_type":"location","lat":46.52,"lon":181,"tst":1780000000}"#, .coordinate),
      (#"{"_type":"location","lat":46.52,"lon":6.63,"tst":1e300}"#, .date),
      (#"{"_type":"transition","lat":46.52,"lon":6.63,"tst":1780000000}"#, .other),
      (#"{"_type":"encrypted","data":"AAAA"}"#, .other), (#"{"_type":"card"}"#, .other),
      (#"{"_type":null,"lat":46.52,"lon":6.63,"tst":1780000000}"#, .other),
      (#"{"class":"TPV","mode":1,"time":"2026-05-28T20:26:40Z"}"#, .noPosition),
      (#"{"class":"TPV","mode":2,"lat":46.52,"lon":6.63}"#, .date), (#"{"class":"SKY"}"#, .other),
      (#"{"type":"gap","date":"2026-05-28T20:26:40Z","latitude":1,"longitude":1}"#, .other),
      (#"{"device":"truck 2","date":"2026-05-28T20:26:40Z","latitude":1,"longitude":1}"#, .device),
      (#"{"tenant":"x","date":"2026-05-28T20:26:40Z","latitude":1,"longitude":1}"#, .device),
      (
        #"{"device":"truck 1","device":"truck 1","date":"2026-05-28T20:26:40Z","latitude":1}"#,
        .device
      ),
      (#"{"device_id":"truck 2","location":{"coords":{"latitude":1,"longitude":1}}}"#, .device),
      (#"{"device_id":"truck 1","location":{"coords":{"latitude":1,"longitude":1}}}"#, .date),
      (#"{"location":{"timestamp":1780000000}}"#, .coordinate), ("{}", .date), ("[]", .malformed),
      ("hello", .malformed), (#"{"lat":"#, .malformed),
    ])
  func reasons(text: String, reason: DeviceReport.Reason) {
    #expect(rejected(text) == [reason: 1])
  }

  @Test(
    "FLEET-150: an accuracy, a speed, or an altitude that nothing near the earth has gives no fix",
    arguments: [
      #""acc":20037509"#, #""acc":1e300"#, #""vel":40321"#, #""alt":50000001"#, #""alt":-6378138"#,
    ])
  func range(member: String) {
    func text(_ member: String) -> String {
      #"{"_type":"location","lat":46.52,"lon":6.63,"tst":1780000000,\#(member)}"#
    }
    #expect(rejected(text(member)) == [.range: 1])
    #expect(lines(text(#""acc":20037508,"vel":40000,"alt":50000000"#)).count == 1)
  }

  @Test(
    "FLEET-106, FLEET-163: a date before 2000, of a roll-over, or a day ahead gives no fix",
    arguments: [
      (946_684_799.0, DeviceReport.Reason.clock), (0, .clock), (946_684_800, nil),
      (1_780_000_000, nil), (1_780_086_400, nil), (1_780_086_401, .future),
      (4_070_908_800, .future), (1_160_684_800, .rollover), (1_158_006_400, nil),
    ])
  func impossibleDates(seconds: Double, reason: DeviceReport.Reason?) {
    let now = UnixTime(seconds: 1_780_000_000)
    let time = UnixTime(seconds: seconds).iso8601
    let texts = [
      #"{"_type":"location","lat":46.52,"lon":6.63,"tst":\#(Int(seconds))}"#,
      #"{"date":"\#(time)","latitude":46.52,"longitude":6.63}"#,
      #"{"class":"TPV","mode":2,"time":"\#(time)","lat":46.52,"lon":6.63}"#,
    ]
    let query = [("timestamp", time), ("lat", "46.52"), ("lon", "6.63")]
    let reports =
      texts.map { DeviceReport(Array($0.utf8), of: truck, at: now) } + [
        DeviceReport(query: query.map { (name: $0.0, value: $0.1) }, of: truck, at: now)
      ]
    for report in reports {
      #expect(report.rejected == (reason.map { [$0: 1] } ?? [:]))
      #expect(report.fixes == (reason == nil ? 1 : 0))
    }
  }

  @Test("FLEET-106: while the ingress's own clock is not set, nothing is of the future")
  func unsetClock() {
    let fix = Array(#"{"_type":"location","lat":46.52,"lon":6.63,"tst":1780000000}"#.utf8)
    for now in [nil, UnixTime(seconds: 0), UnixTime(seconds: 1_577_836_799)] {
      #expect(DeviceReport(fix, of: truck, at: now).fixes == 1)
    }
    let early = UnixTime(seconds: 1_577_836_800)
    #expect(DeviceReport(fix, of: truck, at: early).rejected == [.future: 1])
  }

  @Test("FLEET-31: an accuracy of zero or less is unknown, and is not written")
  func unknownAccuracy() {
    for accuracy in ["0", "-1", "null"] {
      let found = lines(
        #"{"_type":"location","lat":1,"lon":2,"tst":1780000000,"acc":\#(accuracy)}"#)
      #expect(found.count == 1 && !found[0].contains("accuracy"))
    }
    #expect(
      lines(#"{"class":"TPV","mode":2,"time":"2026-05-28T20:26:40Z","lat":1,"lon":2}"#).count == 1)
  }

  @Test("FLEET-31: no bytes are nothing, and clear a retained message of OwnTracks")
  func nothing() {
    #expect(DeviceReport([], of: truck) == DeviceReport(Array(" \n".utf8), of: truck))
    #expect(rejected("").isEmpty)
  }

  @Test("FLEET-31: of several lines each counts alone; too many and too large are refused")
  func several() {
    let good = #"{"date":"2026-05-28T20:26:40Z","latitude":1,"longitude":2}"#
    let report = DeviceReport(Array([good, "{", good].joined(separator: "\n").utf8), of: truck)
    #expect(report.fixes == 2 && report.rejected == [.malformed: 1])
    #expect(report.messages.count == 1)
    let many = DeviceReport(
      Array(Array(repeating: good, count: 1002).joined(separator: "\n").utf8), of: truck)
    #expect(many.fixes == 1000 && many.rejected == [.tooMany: 2])
    #expect(many.messages.count == 2 && many.messages.allSatisfy { $0.count <= 65_536 })
    #expect(rejected(String(repeating: " ", count: 65_537) + good) == [.tooLong: 1])
  }

  @Test("FLEET-31: the group is what the owner says, and not what the device says")
  func group() {
    let text = #"{"date":"2026-05-28T20:26:40Z","latitude":1,"longitude":2,"group":"x"}"#
    #expect(!lines(text)[0].contains("group"))
    let report = DeviceReport(Array(text.utf8), of: truck, group: "trucks")
    #expect(String(decoding: report.messages[0], as: UTF8.self).contains(#""group":"trucks""#))
  }

  @Test("FLEET-31: the device that a body names is that of its first line")
  func claim() {
    #expect(DeviceReport.claim(Array(#"{"device_id":"a","location":{}}"#.utf8)) == "a")
    #expect(DeviceReport.claim(Array("{\"device\":\"a\"}\n{\"device\":\"b\"}".utf8)) == "a")
    #expect(DeviceReport.claim(Array(#"{"_type":"location"}"#.utf8)) == nil)
    #expect(DeviceReport.claim([0xff]) == nil)
  }
}
