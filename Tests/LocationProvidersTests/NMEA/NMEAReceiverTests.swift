import LocationModel
import LocationProviders
import TestSupport
import Testing

private let gga = "GPGGA,120001.00,4807.0380,N,01131.3240,E,1,08,0.9,545.4,M,46.9,M,,"
private let rmc = "GPRMC,120001.00,A,4807.0380,N,01131.3240,E,022.4,084.4,040826,,,A"

@Suite("An NMEA receiver")
struct NMEAReceiverTests {
  private var receiver = NMEAReceiver()

  /// One second of a receiver that sends GGA and then RMC.
  private func second(_ second: Int) -> [UInt8] {
    let time = "1200\(second < 10 ? "0" : "")\(second).00"
    return sentences(
      "GPGGA,\(time),4807.0380,N,01131.3240,E,1,08,0.9,545.4,M,46.9,M,,",
      "GPRMC,\(time),A,4807.0380,N,01131.3240,E,022.4,084.4,040826,,,A")
  }

  @Test("joins the sentences of one instant to one fix")
  func joins() throws {
    let fixes = NMEAReceiver.fixes(sentences(gga, rmc))
    let fix = try #require(fixes.first)
    #expect(fixes.count == 1)
    #expect(fix.time == UnixTime(seconds: 1_785_844_801))
    #expect(abs(fix.coordinate.latitude - 48.1173) < 1e-9)
    #expect(abs(fix.coordinate.longitude - 11.5220666666667) < 1e-9)
    #expect(fix.altitude == 545.4)
    #expect(abs((fix.ellipsoidalAltitude ?? 0) - 592.3) < 1e-9)
    #expect(abs((fix.speed ?? 0) - 11.5235555) < 1e-6)
    #expect(fix.course == 84.4)
    #expect(fix.verticalAccuracy != nil && fix.speedAccuracy != nil && fix.courseAccuracy != nil)
  }

  @Test("puts a fix out with the next epoch while it has not learned the epoch's end")
  mutating func unlearned() {
    #expect(receiver.read(second(1)).isEmpty)
    #expect(receiver.read(second(2)).compactMap(\.fix).count == 1)
  }

  @Test("puts a fix out with the epoch's last sentence once two epochs ended alike")
  mutating func learned() {
    _ = receiver.read(second(1))
    _ = receiver.read(second(2))
    #expect(receiver.read(second(3)).compactMap(\.fix).map(\.time.seconds).count == 2)
    #expect(receiver.read(second(4)).compactMap(\.fix).count == 1)
    #expect(receiver.nextDeadline == nil)
  }

  @Test("forgets the end when a sentence comes after it, and learns the new one")
  mutating func relearned() {
    for number in 1...4 { _ = receiver.read(second(number)) }
    let late = second(5) + sentence("GPGLL,4807.0380,N,01131.3240,E,120005.00,A,A")
    #expect(receiver.read(late).compactMap(\.fix).count == 1)
    #expect(receiver.status.count(of: .late) == 1)
    for number in 6...7 {
      let time = "12000\(number).00"
      _ = receiver.read(
        second(number) + sentence("GPGLL,4807.0380,N,01131.3240,E,\(time),A,A"))
    }
    #expect(receiver.status.count(of: .late) == 1)
  }

  @Test("puts a fix out when the line falls quiet")
  func quiet() {
    var bench = Bench(NMEAReceiver(), startingAt: noon.unixTime) { $0.fix.map { _ in "fix" } }
    bench.send(.bytes(sentences(gga, rmc)))
    bench.run(for: .seconds(5))
    #expect(bench.transcript == "00:00:00.250  fix")
  }

  @Test("a wake that comes too early changes nothing")
  mutating func earlyWake() {
    _ = receiver.read(second(1))
    #expect(receiver.handle(.wake, at: noon).isEmpty)
    #expect(receiver.nextDeadline != nil)
  }

  @Test(
    "takes no coordinate without a valid flag",
    arguments: [
      "GPGGA,120001.00,4807.0380,N,01131.3240,E,0,00,,,M,,M,,",
      "GPGGA,120001.00,4807.0380,N,01131.3240,E,,08,0.9,545.4,M,46.9,M,,",
      "GPGGA,120001.00,4807.0380,N,01131.3240,E,7,08,0.9,545.4,M,46.9,M,,",
      "GPRMC,120001.00,V,4807.0380,N,01131.3240,E,022.4,084.4,040826,,,A",
      "GPRMC,120001.00,A,4807.0380,N,01131.3240,E,022.4,084.4,040826,,,N",
      "GPGLL,4807.0380,N,01131.3240,E,120001.00,V,A",
      "GNGNS,120001.00,4807.0380,N,01131.3240,E,NNN,00,,,,,",
    ])
  func invalid(_ text: String) {
    #expect(NMEAReceiver.fixes(sentence(text)).isEmpty)
    #expect(NMEAReceiver.fixes(sentences(gga, text)).isEmpty, "one sentence refuses for all")
  }

  @Test(
    "guesses no position from half of one",
    arguments: [
      "GPGLL,4807.0380,,01131.3240,E,120001.00,A,A", "GPGLL,,N,01131.3240,E,120001.00,A,A",
      "GPGLL,4807.0380,N,,,120001.00,A,A", "GPGLL,4807.0380,N,01131.3240,E,,A,A",
    ])
  func half(_ text: String) {
    #expect(NMEAReceiver.fixes(sentence(text)).isEmpty)
  }

  @Test(
    "ADMIN-14: rejects a speed and an altitude that no receiver can have, and takes those of a satellite",
    arguments: [
      ("GPRMC,120001.00,A,4807.0380,N,01131.3240,E,99999.0,084.4,310125,,,A", true),
      ("GPRMC,120001.00,V,,,,,99999.0,084.4,310125,,,N", false),
      ("GPRMC,120001.00,A,4807.0380,N,01131.3240,E,15000.0,084.4,310125,,,A", false),
      ("GPVTG,084.4,T,,M,99999.0,N,,K,A", true), ("GPVTG,084.4,T,,M,,N,99999.0,K,A", true),
      ("GPGGA,120001.00,4807.0380,N,01131.3240,E,1,08,0.9,100000000.0,M,46.9,M,,", true),
      ("GPGGA,120001.00,4807.0380,N,01131.3240,E,1,08,0.9,-100000.0,M,46.9,M,,", true),
      ("GPGGA,120001.00,4807.0380,N,01131.3240,E,1,08,0.9,420000.0,M,46.9,M,,", false),
      ("GNGNS,120001.00,4807.0380,N,01131.3240,E,AA,08,0.9,1e9,46.9,,", true),
      ("GNGNS,120001.00,4807.0380,N,01131.3240,E,AA,08,0.9,100000000,46.9,,", true),
    ])
  func implausible(_ text: String, _ isRejected: Bool) {
    let outputs = NMEAReceiver.outputs(sentence(text))
    #expect(outputs.contains(.rejected(.malformedField)) == isRejected, "\(outputs)")
  }

  @Test(
    "rejects fields that mean nothing",
    arguments: [
      "GPGLL,4860.0380,N,01131.3240,E,120001.00,A,A", "GPGLL,9000.0001,N,01131.3240,E,120001,A,A",
      "GPGLL,4807.0380,N,18000.0001,E,120001.00,A,A", "GPGLL,4807.0380,X,01131.3240,E,120001,A,A",
      "GPGLL,4807..380,N,01131.3240,E,120001.00,A,A", "GPGLL,4807.0380,N,01131.3240,E,246001,A,A",
      "GPGLL,-807.0380,N,01131.3240,E,120001.00,A,A", "GPGLL,4807.0380,N,01131.3240,E,12001,A,A",
      "GPGLL,99999999999999999999,N,01131.3240,E,120001.00,A,A",
      "GPRMC,120001.00,A,4807.0380,N,01131.3240,E,022.4,084.4,310226,,,A",
    ])
  func malformed(_ text: String) {
    #expect(NMEAReceiver.outputs(sentence(text)) == [.rejected(.malformedField)])
  }

  @Test(
    "counts a position that lacks its time or a part of its place",
    arguments: [
      ("GPGLL,4916.45,N,12311.12,W,,A", .noTime),
      ("GPGGA,,4807.0380,N,01131.3240,E,1,08,0.9,545.4,M,46.9,M,,", .noTime),
      ("GPRMC,,A,4807.0380,N,01131.3240,E,022.4,084.4,040826,,,A", .noTime),
      ("GPGLL,4916.45,N,,,120001,A", .noPlace), ("GPGLL,4916.45,N,12311.12,,120001,A", .noPlace),
    ] as [(String, NMEARejection)])
  func incomplete(_ text: String, reason: NMEARejection) {
    #expect(NMEAReceiver.outputs(sentence(text)) == [.rejected(reason)])
    #expect(NMEAReceiver.outputs(sentence("GPGLL,,,,,,V")).isEmpty)
  }

  @Test("reads any talker, in either case")
  func talkers() {
    for talker in ["GP", "GN", "GL", "GA", "GB", "BD", "IN", "gn"] {
      let text = "\(talker)GLL,4807.0380,N,01131.3240,E,120001.00,A,A"
      #expect(NMEAReceiver.fixes(sentence(text)).count == 1)
      #expect(NMEAReceiver.fixes(sentence(text.lowercased())).count == 1)
    }
  }

  @Test("south and west are negative, and 0, 0 is a place like any other")
  func hemispheres() throws {
    let south = sentence("GPGLL,3351.0000,S,07030.0000,W,120001.00,A,A")
    let fix = try #require(NMEAReceiver.fixes(south).first)
    #expect(fix.coordinate == Coordinate(latitude: -33.85, longitude: -70.5))
    let origin = sentence("GPGLL,0000.0000,N,00000.0000,E,120001.00,A,A")
    #expect(NMEAReceiver.fixes(origin).count == 1)
  }

  @Test("tells two dimensions from three by GSA, else by the height")
  func dimensions() {
    func dimensions(_ texts: String...) -> [FixDimensions] {
      NMEAReceiver.outputs(texts.flatMap(sentence)).compactMap {
        if case .fix(_, let dimensions) = $0 { return dimensions }
        return nil
      }
    }
    let flat = gga.replacing(",08,", with: ",03,")
    #expect(dimensions(rmc) == [.two])
    #expect(dimensions(gga) == [.three])
    #expect(dimensions("GPGSA,A,2,01,02,03,,,,,,,,,,3,3,", flat) == [.two])
    #expect(dimensions("GPGSA,A,2,01,02,03,,,,,,,,,,3,3,", gga) == [.three])
    #expect(dimensions("GPGSA,A,3,01,02,03,04,,,,,,,,,3,2,2", rmc) == [.three])
    #expect(
      NMEAReceiver.fixes(sentences("GPGSA,A,2,01,02,03,,,,,,,,,,3,3,", flat)).first?.altitude
        == nil)
  }

  @Test("a simulator's fix is marked, and has a course only when moving")
  func simulated() throws {
    let text = sentences(
      gga.replacing(",1,08,", with: ",8,08,"), rmc.replacing("022.4", with: "000.3"))
    let fix = try #require(NMEAReceiver.fixes(text).first)
    #expect(fix.origin.isSimulated)
    #expect(fix.speed != nil && fix.course == nil)
  }

  @Test("says which place gave way when an epoch names two")
  func superseded() {
    let outputs = NMEAReceiver.outputs(
      sentences(gga, "GPGLL,4807.0500,N,01131.3240,E,120001.00,A,A", rmc))
    let places = outputs.map { output -> String in
      switch output {
      case .fix(let fix, _): "fix \(fix.coordinate.latitude)"
      case .superseded(let fix): "superseded \(fix.coordinate.latitude)"
      default: "other"
      }
    }
    #expect(places == ["superseded 48.1173", "superseded 48.1173", "fix 48.1175"])
  }

  @Test("reads GNS by the best of its constellations, unless it calls itself unsafe")
  func gns() throws {
    func fixes(_ mode: String, _ status: String) -> [Fix] {
      NMEAReceiver.fixes(
        sentence("GNGNS,120001,4807.0380,N,01131.3240,E,\(mode),14,1.0,250.7,50.0,,,\(status)"))
    }
    let fixed = try #require(fixes("NAR", "S").first)
    let alone = try #require(fixes("AAN", "V").first)
    #expect(fixed.horizontalAccuracy < 0.1 && alone.horizontalAccuracy > 4)
    #expect(alone.altitude == 250.7 && alone.ellipsoidalAltitude == 300.7)
    #expect(fixes("AAN", "U").isEmpty)
  }

  @Test("LOC-7: knows the height above the ellipsoid by the geoid where the receiver does not say")
  func geoid() throws {
    let text = "GPGGA,120001,4807.0380,N,01131.3240,E,1,08,0.9,545.4,M,,,,"
    let fix = try #require(NMEAReceiver.fixes(sentence(text)).first)
    #expect(fix.altitude == 545.4)
    #expect(fix.ellipsoidalAltitude == 545.4 + Geoid.undulation(at: fix.coordinate))
  }

  @Test("takes speed from VTG, in knots or else in kilometers an hour")
  func vtg() {
    func speed(_ vtg: String) -> Double? {
      NMEAReceiver.fixes(sentences(gga, vtg)).first?.speed
    }
    #expect(speed("GPVTG,90.0,T,,M,36.0,N,99.0,K,A") == 18.52)
    #expect(speed("GPVTG,90.0,T,,M,,N,36.0,K,A") == 10)
    #expect(speed("GPVTG,90.0,T,,M,36.0,N,66.7,K,N") == nil)
  }

  @Test("keeps a VTG that comes after a fix for the next one")
  mutating func earlyMotion() {
    for number in 1...4 {
      let time = "12000\(number).00"
      _ = receiver.read(
        sentence("GPGGA,\(time),4807.0380,N,01131.3240,E,1,08,0.9,545.4,M,46.9,M,,"))
    }
    #expect(receiver.status.fixes == 4, "GGA alone is the learned end")
    let fixes = receiver.read(
      sentences(
        "GPVTG,90.0,T,,M,36.0,N,,K,A",
        "GPGGA,120005.00,4807.0380,N,01131.3240,E,1,08,0.9,545.4,M,46.9,M,,"))
    #expect(fixes.compactMap(\.fix).map(\.speed) == [18.52])
  }

  @Test("puts nothing out again when a receiver repeats itself")
  mutating func frozen() {
    for number in 1...3 { _ = receiver.read(second(number)) }
    #expect((1...10).flatMap { _ in receiver.read(second(3)) }.isEmpty)
    #expect(receiver.status.count(of: .late) == 20)
  }

  @Test("puts out headings, magnetic and true")
  func headings() {
    #expect(
      NMEAReceiver.outputs(
        sentences(
          "HEHDT,274.04,T", "HCHDG,101.1,2.0,E,7.1,W", "HCHDM,12.5,M", "HCHDG,355,,,10,E",
          "GNTHS,77.52,A", "GNTHS,77.52,V"))
        == [
          .heading(NMEAHeading(geographic: 274.04)),
          .heading(NMEAHeading(magnetic: 103.1, geographic: 96)),
          .heading(NMEAHeading(magnetic: 12.5)),
          .heading(NMEAHeading(magnetic: 355, geographic: 5)),
          .heading(NMEAHeading(geographic: 77.52)),
        ])
  }

  @Test("sums up the satellites of each epoch")
  func satellites() {
    let outputs = NMEAReceiver.outputs(
      sentences(
        gga, "GPGSV,2,1,05,01,40,083,46,02,17,308,41,12,07,344,39,14,22,228,45",
        "GPGSV,2,2,05,22,10,100,", "GLGSV,1,1,02,66,37,078,27,67,62,349,51",
        "GNGSA,A,3,01,02,12,14,,,,,,,,,1.5,0.9,1.2", "GNGSA,A,3,66,67,,,,,,,,,,,1.5,0.9,1.2"))
    #expect(outputs.last == .satellites(SatelliteSummary(inView: 7, used: 6, strongest: 51)))
  }

  @Test("ADMIN-1: names the satellites of the last epoch, each once, and those in use")
  mutating func sky() {
    #expect(receiver.satellites.isEmpty)
    _ = receiver.read(
      sentences(
        gga, "GPGSV,1,1,04,01,40,083,46,02,17,308,,33,12,200,30,14,97,400,120",
        "GPGSV,1,1,01,01,40,083,30,1", "GLGSV,1,1,01,66,37,078,27",
        "GAGSV,1,1,02,02,50,100,41,03,20,150,", "GNGSA,A,3,01,66,,,,,,,,,,,1.5,0.9,1.2,1",
        "GNGSA,A,3,02,,,,,,,,,,,,1.5,0.9,1.2,3"))
    #expect(receiver.satellites.isEmpty, "the epoch is not over")
    _ = receiver.handle(.closed, at: noon)
    let seen = receiver.satellites
    #expect(seen.map(\.system) == [.gps, .gps, .sbas, .gps, .glonass, .galileo, .galileo])
    #expect(seen.map(\.number) == [1, 2, 120, 14, 2, 2, 3])
    #expect(seen.map(\.isUsed) == [true, false, false, false, true, true, false])
    #expect(seen.map(\.signal) == [46, nil, 30, nil, 27, 41, nil])
    #expect(seen[0].elevation == 40 && seen[0].azimuth == 83)
    #expect(seen[3].elevation == nil && seen[3].azimuth == nil, "out of range counts as unknown")
  }

  @Test("begins anew when the port is opened")
  mutating func opened() {
    _ = receiver.read(second(1))
    #expect(receiver.handle(.opened, at: noon).isEmpty)
    #expect(receiver.nextDeadline == nil)
    #expect(receiver.handle(.closed, at: noon).isEmpty)
    #expect(receiver.status == NMEAReceiverStatus())
  }

  @Test("tells why there is no fix")
  func diagnosis() {
    func diagnosis(_ bytes: [UInt8]) -> NMEAReceiverStatus.Diagnosis {
      var receiver = NMEAReceiver()
      _ = receiver.read(bytes)
      _ = receiver.handle(.closed, at: noon)
      return receiver.status.diagnosis
    }
    var random = SeededRandom(seed: 1)
    let noise = (0..<1000).map { _ in UInt8.random(in: 0...255, using: &random) }
    #expect(diagnosis([]) == .silent)
    #expect(diagnosis(noise) == .noText)
    #expect(diagnosis(Array("login: ".utf8)) == .noSentences)
    #expect(diagnosis(sentence("GPGGA,,,,,,0,,,,,,,,")) == .noPosition)
    #expect(diagnosis(sentence("HEHDT,274.04,T")) == .noPositionSentences)
    #expect(diagnosis(sentence(gga)) == .working)
  }

  @Test("counts every rejection by its reason")
  mutating func counts() {
    let outputs = receiver.read(Array("$GPGGA,1*00\r\n$GPX*\r\n".utf8) + sentence("PMTK,1"))
    #expect(outputs == [.rejected(.checksumMismatch), .rejected(.checksumMalformed)])
    #expect(receiver.status.rejected.map(\.count) == [1, 1, 1])
    #expect(receiver.status.count(of: .unsupported) == 1)
  }
}
