import LocationCoding
import LocationModel
import LocationRadio
import LocationSecrets
import Testing

@Suite("An import into the map of transmitters")
struct RadioImportTests {
  private static let now = UnixTime(seconds: 1_750_000_000)
  private static let wigle = """
    WigleWifi-1.4,appRelease=2.53,model=Phone
    MAC,SSID,AuthMode,FirstSeen,Channel,RSSI,CurrentLatitude,CurrentLongitude,AltitudeMeters,AccuracyMeters,Type

    """
  private static let cells =
    "radio,mcc,net,area,cell,unit,lon,lat,range,samples,changeable,created,updated,averageSignal\n"

  private func read(
    _ text: String, at now: UnixTime = Self.now
  ) -> (found: [RadioObservation], refusals: ImportRefusals) {
    var reader = RadioImport(now: now)
    var found = reader.read(text.utf8)
    found += reader.finish()
    return (found, reader.refusals)
  }

  private func refusals(_ text: String) -> [ImportRefusal: Int] {
    var counts: [ImportRefusal: Int] = [:]
    for refusal in read(text).refusals.all { counts[refusal.reason] = refusal.count }
    return counts
  }

  @Test("RADIO-19: rows of WiGLE of one place and moment are one scan; commas may be quoted")
  func wigle() throws {
    let rows = """
      00:11:22:33:44:10,"cafe, upstairs",[WPA2],2025-05-01 12:00:00,1,-60,48.1,11.5,500,4,WIFI
      00:11:22:33:44:20,shop,[WPA2],2025-05-01 12:00:00,6,-70,48.1,11.5,500,4,WIFI
      00:11:22:33:44:20,shop,[WPA2],2025-05-01 12:00:09,6,-75,48.1001,11.5,500,4,WIFI
      """
    let found = read(Self.wigle + rows).found
    guard case .scan(let first, let place, nil, let accuracy)? = found.first, found.count == 2
    else {
      Issue.record("\(found)")
      return
    }
    #expect(first.readings.map(\.level) == [-60, -70])
    #expect(place == Coordinate(latitude: 48.1, longitude: 11.5) && accuracy == 4)
    #expect(first.time == UnixTime(iso8601: "2025-05-01T12:00:00Z"))
  }

  @Test("RADIO-19: columns are found by their names, as NeoStumbler writes them")
  func neoStumbler() {
    let text = """
      timestamp,latitude,longitude,locationAccuracy,macAddress,ssid,signalStrength
      1746100000000,48.1,11.5,5,001122334410,cafe,-60
      1746100000000,48.1,11.5,5,001122334420,,-60
      """
    #expect(read(text).found.count == 1)
    #expect(refusals(text) == [.hidden: 1])
    // As an editor or a spreadsheet writes it.
    #expect(read("\u{FEFF}" + text).found.count == 1)
  }

  @Test("RADIO-19: hidden, opted out, and moving networks are counted and not used")
  func names() {
    let names = [
      ("", ImportRefusal.hidden), ("home_nomap", .optedOut), ("HOME_NOMAP", .optedOut),
      ("a_optout_b", .optedOut), ("Anna's iPhone", .mobile), ("DIRECT-5F-printer", .mobile),
    ]
    for (name, reason) in names {
      let row = "00:11:22:33:44:10,\(name),[],2025-05-01 12:00:00,1,-60,48.1,11.5,500,4,WIFI\n"
      #expect(refusals(Self.wigle + row) == [reason: 1], "\(name)")
      #expect(read(Self.wigle + row).found.isEmpty)
    }
  }

  @Test("RADIO-19: numbers that no radio or receiver reports are counted and not used")
  func numbers() {
    func row(
      _ address: String = "00:11:22:33:44:10", time: String = "2025-05-01 12:00:00",
      level: String = "-60", place: String = "48.1,11.5", accuracy: String = "4"
    ) -> String {
      "\(address),cafe,[],\(time),1,\(level),\(place),500,\(accuracy),WIFI\n"
    }
    for (text, reason) in [
      (row(place: "0,0"), ImportRefusal.noPlace), (row(place: "nan,11"), .noPlace),
      (row(place: "91,11"), .noPlace), (row(place: "48.1,1e300"), .noPlace),
      (row(level: "-500"), .level), (row(level: "20"), .level),
      (row(accuracy: "31"), .inaccurate), (row(accuracy: "-1"), .inaccurate),
      (row(time: "tomorrow"), .noDate), (row(time: "2099-01-01 00:00:00"), .noDate),
      (row("ff:ff:ff:ff:ff:ff"), .noAddress), (row("00:00:00:00:00:00"), .noAddress),
      (row("01:00:5e:90:10:00"), .noAddress), (row("zz"), .noAddress), ("\u{0}\u{1}\n", .noAddress),
    ] {
      #expect(refusals(Self.wigle + text) == [reason: 1], "\(text)")
    }
    #expect(read(Self.wigle + row()).found.count == 1)
  }

  @Test("RADIO-19: cells of OpenCellID and Mozilla have their place and range")
  func cellList() {
    let row = "LTE,262,1,5200,27447297,0,11.5,48.1,1200,5,1,1459813819,1746100000,-90\n"
    for text in [Self.cells + row, row] {
      let cell = CellIdentity(radio: .lte, country: 262, network: 1, area: 5200, cell: 27_447_297)
      let place = PlacedStations.Place(
        Coordinate(latitude: 48.1, longitude: 11.5), range: 1200, day: 20_209)
      #expect(read(text).found == [.placed(.cell(cell), place)])
    }
    for (bad, reason) in [
      ("CDMA,262,1,5200,2,0,11.5,48.1,1200,5,1,1,1746100000,-90", ImportRefusal.otherRadio),
      ("LTE,0,1,5200,2,0,11.5,48.1,1200,5,1,1,1746100000,-90", .noCell),
      ("LTE,262,1,5200,268435455,0,11.5,48.1,1200,5,1,1,1746100000,-90", .noCell),
      ("LTE,262,1,5200,2,0,0,0,1200,5,1,1,1746100000,-90", .noPlace),
      ("LTE,262,1,5200,2,0,11.5,48.1,1200,5,1,1,99999999999,-90", .noDate),
      ("LTE,262", .noCell),
    ] { #expect(refusals(Self.cells + bad) == [reason: 1], "\(bad)") }
  }

  @Test("RADIO-83: what geosubmit says of beacons is not read: it knows their addresses only")
  func beacons() {
    let beacons = #""bluetoothBeacons":[{"macAddress":"ff:23:45:67:89:ab","signalStrength":-60}]"#
    let position = #""timestamp":1746100000000,"position":{"latitude":48.1,"longitude":11.5}"#
    let box = #""wifiAccessPoints":[{"macAddress":"001122334410"}]"#
    let found = read("{\(position),\(box),\(beacons)}").found
    #expect(found == read("{\(position),\(box)}").found && found.count == 1)
    #expect(read("{\(position),\(beacons)}").found.isEmpty)
  }

  @Test("RADIO-19: geosubmit items may come as lines, or in one document over many lines")
  func geosubmit() {
    let item = """
      {"timestamp": 1746100000000, "position": {"latitude": 48.1, "longitude": 11.5, "accuracy": 8},
      "wifiAccessPoints": [{"macAddress": "00:11:22:33:44:10", "signalStrength": -60, "age": 1500},
      {"macAddress": "00:11:22:33:44:20", "ssid": "x_nomap"}],
      "cellTowers": [{"radioType": "lte", "mobileCountryCode": 262, "mobileNetworkCode": 1,
      "locationAreaCode": 5200, "cellId": 27447297, "signalStrength": -90, "serving": 1}]}
      """
    for text in [item, "{\"items\": [\(item),\n \(item)]}", "[\(item)]", item + "\n" + item] {
      let (found, refused) = read(text)
      guard case .scan(let scan, _, nil, _)? = found.first else {
        Issue.record("\(text): \(found)")
        continue
      }
      #expect(scan.readings.count == 2)
      #expect(scan.readings.first?.age == 1.5)
      #expect(scan.readings.last?.isServing ?? false)
      #expect(refused.all.map(\.reason) == [.optedOut])
    }
    for (bad, reason) in [
      ("{\"a\":1}", ImportRefusal.notUnderstood), ("{broken}", .notUnderstood),
      ("{\"position\":{\"latitude\":0,\"longitude\":0}}", .noPlace),
      ("{\"items\":[{", .notUnderstood),
      ("{\"position\":{\"latitude\":1,\"longitude\":1,\"speed\":40}}", .inaccurate),
      ("{\"x\":\"\(String(repeating: "y", count: 70_000))\"}", .tooLong),
    ] { #expect(refusals(bad) == [reason: 1], "\(bad.prefix(80))") }
  }

  @Test(
    "RADIO-19: a torn end, a line without end, and bytes of any kind are counted, without a trap")
  func damage() {
    let row = "00:11:22:33:44:10,cafe,[],2025-05-01 12:00:00,1,-60,48.1,11.5,500,4,WIFI\n"
    let whole = Array((Self.wigle + row).utf8)
    for cut in whole.indices { _ = read(String(decoding: whole.prefix(cut), as: UTF8.self)) }
    #expect(
      refusals(Self.wigle + String(repeating: "x", count: 100_000) + "\n" + row) == [.tooLong: 1])
    var random = SeededRandom(seed: 5)
    for _ in 0..<200 {
      let bytes = (0..<500).map { _ in UInt8(truncatingIfNeeded: random.next() >> 20) }
      var reader = RadioImport(now: Self.now)
      _ = reader.read(bytes)
      _ = reader.read("{\"items\":[".utf8)
      _ = reader.finish()
    }
    var other = RadioImport(now: Self.now)
    _ = other.read("<html>\n<body>\n".utf8)
    #expect(!other.isUnderstood)
  }

  @Test("RADIO-19: an observation is the same after its way over the wire")
  func wire() {
    let cell = CellIdentity(radio: .nr, country: 262, network: 7, area: nil, cell: 68_719_000_000)
    let scan = RadioScan(
      [
        RadioScan.Reading(.accessPoint(BSSID(0x0011_2233_4410)), level: -60, age: 1.5),
        RadioScan.Reading(.cell(cell), level: nil, isServing: true),
      ], time: UnixTime(seconds: 1_746_100_000))
    let place = Coordinate(latitude: -48.123456789, longitude: 179.999)
    for observation in [
      RadioObservation.scan(scan, at: place, floor: -2),
      .placed(.cell(cell), PlacedStations.Place(place, range: 700, day: 20_000)),
      .row(name: "wifi/1/2", value: [0, 255, 7, 9], fingerprint: .max),
    ] {
      var refusals = ImportRefusals()
      let again = RadioItem.observations(in: observation.item, at: Self.now, &refusals)
      #expect(again == [observation])
      #expect(refusals.all.isEmpty)
    }
    for count in 0..<9 {
      let bytes = (0..<count).map { UInt8($0 * 37 & 255) }
      #expect(Base64.bytes(Base64.text(bytes)) == bytes)
    }
    for bad in ["A", "AB=C", "====", "A===", "äbcd"] { #expect(Base64.bytes(bad) == nil, "\(bad)") }
  }

  @Test("RADIO-19: a computer whose clock is not set refuses dated places, whatever it says")
  func clockNotSet() {
    let text = """
      {"placed":{"radioType":"lte","mobileCountryCode":262,"mobileNetworkCode":1,\
      "locationAreaCode":5,"cellId":1234,"latitude":48.1,"longitude":11.5,"range":1000,"day":19000}}

      """
    #expect(read(text).found.count == 1)
    for seconds in [0, 100, 863_999_999.0] {
      let (found, refusals) = read(text, at: UnixTime(seconds: seconds))
      #expect(found.isEmpty && refusals.all.map(\.reason) == [.notUnderstood])
    }
  }
}
