import LocationEngine
import LocationModel
import Testing

@Suite("Beacons in the engine")
struct BeaconDeliveryTests {
  private var bench = SignalsBench()

  @Test("BEACON-6: are delivered once a second to those who range them, with demand for the radio")
  mutating func ranging() {
    bench.send(.reception(.listening))
    #expect(bench.demand.beacons == .off)
    bench.range(hall)
    bench.range(door, by: SubscriberID(2))
    #expect(bench.demand.beacons == .continuous)
    bench.receive(beacon(1))
    bench.receive(beacon(2), rssi: -70)
    bench.run(seconds: 1)
    bench.request(.ranging(SignalsBench.manager, .stop(hall)))
    bench.request(.end(SubscriberID(2)))
    #expect(bench.demand.beacons == .off)
    bench.run(seconds: 5)
    #expect(
      bench.transcript == """
        00:00:01  ranged [1, 2] to 1
        00:00:01  ranged [2] to 2
        """)
  }

  @Test("ADMIN-2: the owner sees those that are ranged, and how near they are")
  mutating func seen() {
    bench.send(.reception(.listening))
    bench.range(hall)
    bench.receive(beacon(1))
    bench.receive(beacon(2), rssi: -75)
    bench.run(seconds: 1)
    #expect(bench.beacons.map(\.identity.minor) == [1, 2])
    #expect(bench.beacons.map(\.rssi) == [-59, -75])
    #expect(bench.beacons[0].proximity == .near && bench.beacons[1].proximity == .far)
    bench.request(.ranging(SignalsBench.manager, .stop(hall)))
    #expect(bench.beacons.isEmpty)
  }

  @Test("AVAIL-4: cannot be the bounds of a region on a computer without a radio")
  mutating func regionWithoutRadio() {
    let region = RegionDescription(
      identifier: "hall", target: .beacon(hall), notices: RegionNotices())
    bench.request(.region(SignalsBench.manager, .start(region)))
    #expect(bench.transcript == "00:00:00  hall unavailable")
    bench.send(.reception(.listening))
    bench.request(.region(SignalsBench.manager, .start(region)))
    #expect(bench.transcript == "00:00:00  hall unavailable")
  }

  @Test("BEACON-16: fail without a radio, when it goes off, and for those who come then")
  mutating func failures() {
    bench.range(hall)
    bench.send(.reception(.listening))
    bench.run(seconds: 1)
    bench.send(.reception(.unavailable))
    bench.range(door)
    bench.send(.reception(.failing))
    bench.send(.reception(.listening))
    bench.run(seconds: 1)
    #expect(
      bench.transcript == """
        00:00:00  ranging unavailable
        00:00:01  ranged [] to 1
        00:00:01  ranging unavailable
        00:00:01  ranging unavailable
        00:00:01  ranging failing
        00:00:01  ranging failing
        00:00:02  ranged [] to 1
        00:00:02  ranged [] to 1
        """)
  }

  @Test("BEACON-16, BEACON-17: fail when location is off, refused, or reduced, once each")
  mutating func refusals() {
    bench.send(.reception(.listening))
    bench.range(hall)
    bench.send(.setting(.precise(SignalsBench.app, false)))
    #expect(bench.demand.beacons == .off)
    bench.send(.setting(.precise(SignalsBench.app, true)))
    bench.send(.setting(.authorization(SignalsBench.app, .never)))
    bench.send(.setting(.services(on: false)))
    #expect(
      bench.transcript == """
        00:00:00  ranging unavailable
        00:00:00  ranging denied
        00:00:00  ranging unavailable
        """)
  }

  @Test(
    "BEACON-16, BEACON-17: fail once for who starts when it may not",
    arguments: [
      (Setting.authorization(SignalsBench.app, .never), "denied"),
      (.services(on: false), "unavailable"), (.precise(SignalsBench.app, false), "unavailable"),
    ])
  mutating func refusedFromTheStart(_ setting: Setting, _ failure: String) {
    bench.send(.reception(.listening))
    bench.send(.setting(setting))
    bench.range(hall)
    bench.range(door)
    bench.run(seconds: 5)
    #expect(
      bench.transcript == """
        00:00:00  ranging \(failure)
        00:00:00  ranging \(failure)
        """)
  }

  @Test("BEACON-18: are not ranged while the app is suspended")
  mutating func suspension() {
    bench.send(.reception(.listening))
    bench.range(hall)
    bench.live(.suspended)
    #expect(bench.demand.beacons == .off)
    bench.run(seconds: 5)
    bench.live(.foreground)
    bench.run(seconds: 1)
    #expect(bench.transcript == "00:00:06  ranged [] to 1")
  }

  @Test("BEACON-18: are ranged while a suspended app runs for a region that woke it")
  mutating func afterWake() {
    bench = SignalsBench(.always)
    bench.send(.reception(.listening))
    let shop = RegionDescription(
      identifier: "shop", target: .beacon(hall), notices: RegionNotices())
    bench.request(.region(SignalsBench.manager, .start(shop)))
    bench.range(hall)
    bench.run(seconds: 31)
    bench.live(.suspended)
    #expect(bench.demand.beacons == .passive)
    let before = bench.transcript
    bench.receive(beacon(1))
    // The host lets it run for this long (LIFE-3).
    bench.live(.background)
    #expect(bench.demand.beacons == .continuous)
    for _ in 0..<10 {
      bench.run(seconds: 1)
      bench.receive(beacon(1))
    }
    bench.live(.suspended)
    #expect(bench.demand.beacons == .passive)
    let new = bench.transcript.dropFirst(before.count).split(separator: "\n")
    #expect(new.first?.hasSuffix("entered") == true)
    #expect((9...10).contains(new.count { $0.hasSuffix("ranged [1] to 1") }), "\(new)")
  }

  @Test("BEACON-16: fail for an app that was suspended when the radio went, when it runs again")
  mutating func deafMeanwhile() {
    bench.send(.reception(.listening))
    bench.range(hall)
    bench.live(.suspended)
    bench.send(.reception(.unavailable))
    bench.run(seconds: 5)
    bench.live(.foreground)
    bench.run(seconds: 5)
    #expect(bench.transcript == "00:00:05  ranging unavailable")
  }

  @Test("MON-32: date a condition added later by what was received before")
  mutating func lateCondition() {
    bench = SignalsBench(.always)
    bench.send(.reception(.listening))
    let monitor = SubscriberID(7)
    bench.request(.monitor(monitor, .open(name: "beacons")))
    bench.request(.monitor(monitor, .add(identifier: "first", .beacon(hall), assuming: .unknown)))
    bench.run(seconds: 3600)
    bench.request(.monitor(monitor, .add(identifier: "second", .beacon(hall), assuming: .unknown)))
    for _ in 0..<2 { bench.request(.monitor(monitor, .next(after: bench.lastEvent))) }
    #expect(bench.dates == [30, 30])
  }

  @Test("BEACON-21, BEACON-22: enter a region at once, and leave it after half a minute's silence")
  mutating func region() {
    bench = SignalsBench(.always)
    bench.send(.reception(.listening))
    let shop = RegionDescription(
      identifier: "shop", target: .beacon(hall), notices: RegionNotices())
    bench.request(.region(SignalsBench.manager, .start(shop)))
    #expect(bench.demand.beacons == .passive)
    bench.run(seconds: 31)
    bench.receive(beacon(1))
    bench.run(seconds: 60)
    bench.request(.region(SignalsBench.manager, .stop(identifier: "shop")))
    #expect(bench.demand.beacons == .off)
    #expect(
      bench.transcript == """
        00:00:31  entered
        00:01:01  exited
        """)
  }

  @Test("MON-30: satisfy a condition with the beacon that was seen, also one added later")
  mutating func condition() {
    bench = SignalsBench(.always)
    bench.send(.reception(.listening))
    for (minor, name) in [(7, "first"), (8, "second")] {
      let monitor = SubscriberID(UInt32(minor))
      bench.request(.monitor(monitor, .open(name: name)))
      bench.request(.monitor(monitor, .add(identifier: name, .beacon(hall), assuming: .unknown)))
      bench.receive(beacon(UInt16(minor)))
      bench.request(.monitor(monitor, .next(after: .none)))
    }
    #expect(
      bench.transcript == """
        00:00:00  first satisfied by 7
        00:00:00  second satisfied by 7
        """)
  }
}

private let uuid = BeaconUUID(high: 1, low: 2)
private let hall = BeaconConstraint(uuid: uuid)
private let door = BeaconConstraint(uuid: uuid, major: 1, minor: 2)

private func beacon(_ minor: UInt16) -> BeaconIdentity {
  BeaconIdentity(uuid: uuid, major: 1, minor: minor)
}
