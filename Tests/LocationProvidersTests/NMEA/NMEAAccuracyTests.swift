import LocationModel
import LocationProviders
import Testing

@Suite("The accuracy of an NMEA fix")
struct NMEAAccuracyTests {
  @Test("LOC-5: a round error's radius of 1.51 deviations holds 68 % of the fixes")
  func confidence() {
    var random = SeededRandom(seed: 5)
    let count = 20_000
    let errors = NMEAErrors(latitude: 3, longitude: 3, altitude: 5)
    let radius = NMEAAccuracy.horizontal(errors: errors, hdop: nil, quality: .autonomous)
    var inside = 0
    for _ in 0..<count {
      // A squared distance of two normal axes is exponential.
      let uniform = Double.random(in: 0..<1, using: &random)
      let squared = -2 * 9 * logarithm(1 - uniform)
      if squared <= radius * radius { inside += 1 }
    }
    #expect(abs(Double(inside) / Double(count) - 0.68) < 0.01)
  }

  @Test("comes from GST when sent, even when HDOP says otherwise")
  func gst() throws {
    let bytes = sentences(
      "GPGGA,120001.00,4807.0380,N,01131.3240,E,1,08,9.9,545.4,M,46.9,M,,",
      "GPGST,120001.00,,,,,3.0,4.0,6.5")
    let fix = try #require(NMEAReceiver.fixes(bytes).first)
    #expect(abs(fix.horizontalAccuracy - 5 * 1.0674) < 1e-3)
    #expect(fix.verticalAccuracy == 6.5)
  }

  @Test("comes from HDOP and the quality's range error without GST, or with an empty one")
  func hdop() {
    let empty = NMEAErrors(latitude: 0, longitude: 0, altitude: nil)
    let plain = NMEAAccuracy.horizontal(errors: nil, hdop: 2, quality: .autonomous)
    #expect(abs(plain - 2 * 4 * 1.0674) < 1e-3)
    #expect(
      NMEAAccuracy.horizontal(errors: empty, hdop: 2, quality: .autonomous) == plain)
  }

  @Test("is better the better the quality, and never zero")
  func qualities() {
    let qualities: [NMEAQuality] = [
      .deadReckoning, .autonomous, .precise, .differential, .floatRTK, .fixedRTK,
    ]
    let radii = qualities.map {
      NMEAAccuracy.horizontal(errors: nil, hdop: 1, quality: $0)
    }
    #expect(radii == radii.sorted(by: >))
    #expect(NMEAAccuracy.horizontal(errors: nil, hdop: 1e-9, quality: .fixedRTK) == 0.01)
  }

  @Test("has a default when the receiver tells nothing")
  func unknown() throws {
    let bytes = sentence("GPGLL,4807.0380,N,01131.3240,E,120001.00,A")
    let fix = try #require(NMEAReceiver.fixes(bytes).first)
    #expect(abs(fix.horizontalAccuracy - 10.67) < 0.01)
  }

  @Test("a course's accuracy shrinks with speed")
  func course() {
    #expect(abs(NMEAAccuracy.course(speed: 1, speedAccuracy: 1) - 45) < 1e-9)
    #expect(NMEAAccuracy.course(speed: 20, speedAccuracy: 0.2) < 1)
  }

  @Test("LOC-5: gpsd's 95 % figures are scaled down to 68 %")
  func ninetyFive() {
    #expect(abs(ConfidenceRadius.fromNinetyFivePercent(10) - 6.167) < 1e-3)
    #expect(abs(ConfidenceRadius.axisFromNinetyFivePercent(1.96) - 1) < 1e-9)
  }
}
