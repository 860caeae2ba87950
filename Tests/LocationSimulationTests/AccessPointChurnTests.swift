import LocationModel
import Testing

@testable import LocationProviders
@testable import LocationSimulation

@Suite("The churn of access points")
struct AccessPointChurnTests {
  private static let mall = LocalFrame(center: Coordinate(latitude: 52.52, longitude: 13.40))
  private static let accessPoints = (0..<2000).map { number in
    let (row, column) = (Double(number / 50), Double(number % 50))
    return VirtualAccessPoint(
      .simulated(UInt64(number)), at: mall.place(east: column * 20, north: row * 20),
      altitude: row, level: -45)
  }
  private static let churn = AccessPointChurn(share: 0.1, in: .seconds(30 * 86_400))

  private func present(
    _ accessPoints: [VirtualAccessPoint], days: Double, seed: UInt64 = 1
  ) -> [VirtualAccessPoint] {
    accessPoints.map {
      Self.churn.successor(of: $0, at: .start + .seconds(days * 86_400), seed: seed)
    }
  }

  @Test(
    "SIM-23: so many have changed after a period, and as many of the rest after each further one")
  func shares() {
    for (days, share) in [(0.0, 0.0), (15, 0.051), (30, 0.1), (150, 0.41), (3000, 1)] {
      let now = present(Self.accessPoints, days: days)
      let changed = zip(Self.accessPoints, now).count { $0 != $1 }
      #expect(abs(Double(changed) / 2000 - share) < 0.03, "\(changed) after \(days) days")
      #expect(Set(now.map(\.address)).count == 2000)
    }
  }

  @Test("SIM-23: half are exchanged in place, others moved, or gone for another one within 50 m")
  func kinds() throws {
    var (exchanged, moved, replaced) = (0.0, 0.0, 0.0)
    // So early that hardly any has changed twice.
    for (before, now) in zip(Self.accessPoints, present(Self.accessPoints, days: 60)) {
      #expect(now.altitude == before.altitude && now.level == before.level)
      #expect(!now.address.isGroup && !now.address.isLocallyAdministered)
      let (from, to) = (try #require(before.place), try #require(now.place))
      #expect(from.distance(to: to) < 50.1)
      switch (now.address == before.address, to == from) {
      case (true, true): break
      case (false, true): exchanged += 1
      case (true, false): moved += 1
      case (false, false): replaced += 1
      }
    }
    let all = exchanged + moved + replaced
    #expect(all > 300)
    #expect((0.4...0.6).contains(exchanged / all), "\(exchanged) of \(all)")
    #expect((0.17...0.33).contains(moved / all), "\(moved) of \(all)")
    #expect((0.17...0.33).contains(replaced / all), "\(replaced) of \(all)")
  }

  @Test("SIM-23: a hotspot does not change, nor anything without a share; bounds are held")
  func none() {
    let later = Instant.start + .seconds(300 * 86_400)
    let hotspot = VirtualAccessPoint(.simulated(1, travels: true), at: nil)
    #expect(Self.churn.successor(of: hotspot, at: later, seed: 1) == hotspot)
    for share in [0, -1, Double.nan] {
      let none = AccessPointChurn(share: share, in: .seconds(3600))
      #expect(none.successor(of: Self.accessPoints[0], at: later, seed: 1) == Self.accessPoints[0])
    }
    #expect(AccessPointChurn(share: 2, in: .zero).share == 0.99)
    let fastest = AccessPointChurn(share: .infinity, in: AccessPointChurn.shortestPeriod)
    #expect(fastest.successor(of: hotspot, at: later, seed: 1) == hotspot)
    let other = fastest.successor(of: Self.accessPoints[0], at: later, seed: 1)
    #expect(other.address != Self.accessPoints[0].address)
  }

  @Test("SIM-24: what there is at a time follows from the list, the seed, and that time alone")
  func pure() throws {
    let few = Array(Self.accessPoints[700..<740])
    #expect(present(few, days: 150) == Array(present(Self.accessPoints, days: 150)[700..<740]))
    #expect(present(few, days: 150, seed: 2) != present(few, days: 150))
    // A radio receives the same whether or not it scanned on each day before.
    func last(_ accessPoints: [VirtualAccessPoint], days: [Double]) throws -> [RadioScan.Reading] {
      var radio = VirtualRadio(accessPoints, churn: Self.churn, seed: 9)
      var readings: [RadioScan.Reading] = []
      for day in days {
        radio.open(at: .start + .seconds(day * 86_400))
        let due = try #require(radio.nextDeadline)
        let now = Moment(uptime: due, unixTime: Scenario.standardDate + (due - .start))
        var truth = Truth(Self.mall.place(east: 400, north: 285))
        truth.altitude = 14
        let line = radio.wake(at: now, truth: truth)
        readings = try ScanLine.read(line, at: now.unixTime).scan.readings
        radio.close()
      }
      return readings
    }
    let once = try last(few, days: [150])
    #expect(once.count > 2)
    #expect(try last(few, days: Array(stride(from: 0, through: 150, by: 1))) == once)
    #expect(try last(few, days: [0]).map(\.transmitter) != once.map(\.transmitter))
    // Further ones change nothing of these.
    let received = Set(once.map(\.transmitter))
    #expect(
      try last(Self.accessPoints, days: [150]).filter { received.contains($0.transmitter) } == once)
  }

  @Test("SIM-24: what was moved or added is received, where it was out of reach before")
  func edge() throws {
    func count(_ churn: AccessPointChurn?) throws -> Int {
      // Received for 29 m, with all luck.
      let far = (0..<2000).map { number in
        VirtualAccessPoint(
          .simulated(UInt64(number)),
          at: Self.mall.center.moved(by: 40, towards: Double(number) * 0.18), level: -70)
      }
      var radio = VirtualRadio(far, churn: churn, seed: 4)
      radio.open(at: .start + .seconds(10 * 86_400))
      let due = try #require(radio.nextDeadline)
      let now = Moment(uptime: due, unixTime: Scenario.standardDate + (due - .start))
      let line = radio.wake(at: now, truth: Truth(Self.mall.center))
      return try ScanLine.read(line, at: now.unixTime).scan.readings.count
    }
    #expect(try count(nil) == 0)
    #expect(try count(AccessPointChurn(share: 0.99, in: .seconds(86_400))) > 0)
  }
}
