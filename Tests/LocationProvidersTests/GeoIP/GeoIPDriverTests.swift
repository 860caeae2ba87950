import LocationModel
import LocationProviders
import TestSupport
import Testing

@Suite("A database of addresses as a source")
struct GeoIPDriverTests {
  private static let url = "geoip:/a%20b.mmdb"
  private static let own: [UInt8] = [81, 2, 69, 142]
  private static let six: [UInt8] = [0x2A, 0x02] + [UInt8](repeating: 1, count: 14)
  private static let london = GeoIPEntry.place(latitude: 51.5, longitude: -0.1, kilometers: 20)

  private var bench: Bench<AnyDriver>

  init() throws {
    bench = Bench(AnyDriver(try Source(url: Self.url).driver))
  }

  /// What came out since the last call.
  private mutating func sent(_ inputs: SourceInput...) -> [SourceOutput] {
    let count = bench.outputs.count
    for input in inputs { bench.send(input) }
    return bench.outputs[count...].map(\.output)
  }

  private mutating func ran(seconds: Double) -> [SourceOutput] {
    let count = bench.outputs.count
    bench.run(for: .seconds(seconds))
    return bench.outputs[count...].map(\.output)
  }

  private static func look(_ addresses: [UInt8]...) -> SourceOutput {
    .open(.look(GeoIPLookUp(path: "/a b.mmdb", addresses: addresses)))
  }

  private static func lack(_ lack: GeoIPLack) -> SourceOutput {
    .status(.unavailable(.missing(lack.rawValue)))
  }

  private static func isRequest(_ output: SourceOutput?) -> Bool {
    if case .request? = output { true } else { false }
  }

  /// Starts, and the kernel has these addresses.
  private mutating func start(_ addresses: [UInt8]...) -> [SourceOutput] {
    _ = sent(.stored([]), .kernel(.opened))
    let list = addresses.flatMap { KernelAddresses.change(true, $0, index: 2) }
    return sent(.kernel(.bytes(list)), .kernel(.bytes(NetlinkWriter.done(1))))
  }

  @Test("RADIO-60: gives the region of this computer's public address, from the database")
  mutating func region() throws {
    #expect(sent(.stored([])) == [.status(.searching), .open(.addresses)])
    #expect(Self.isRequest(sent(.kernel(.opened)).first))
    #expect(sent(.kernel(.bytes(KernelAddresses.change(true, Self.own, index: 2)))) == [])
    #expect(sent(.kernel(.bytes(NetlinkWriter.done(1)))) == [Self.look(Self.own)])
    let outputs = sent(.channel(.places(.entries([Self.london]))))
    guard outputs.count == 3, case .fix(let fix) = outputs[2] else {
      Issue.record("\(outputs)")
      return
    }
    #expect(outputs.prefix(2) == [.close, .status(.working)])
    #expect(fix.coordinate == Coordinate(latitude: 51.5, longitude: -0.1))
    #expect(fix.horizontalAccuracy == 20_000 && fix.origin.method == .region)
    #expect(fix.time == bench.now.unixTime)
  }

  @Test("RADIO-60: an address that the owner names is looked up, and the kernel is asked nothing")
  mutating func named() throws {
    let source = try Source(url: Self.url + "?address=203.0.113.7")
    bench = Bench(AnyDriver(source.driver))
    #expect(sent(.stored([])) == [.status(.searching), Self.look([203, 0, 113, 7])])
    #expect(source.url == "geoip:/a%20b.mmdb?address=203.0.113.7")
    #expect(source.loggedURL == "geoip:/a%20b.mmdb?address=‹private›")
  }

  @Test("RADIO-60: addresses that only this network uses do not count, and those of IPv6 do")
  mutating func networks() {
    let private4: [[UInt8]] = [
      [10, 1, 2, 3], [100, 64, 0, 1], [127, 0, 0, 1], [169, 254, 1, 1], [172, 31, 0, 1],
      [192, 168, 1, 1], [203, 0, 113, 7], [224, 0, 0, 1], [0, 0, 0, 0], [255, 255, 255, 255],
    ]
    let private6: [[UInt8]] = [
      [0xFE, 0x80], [0xFD, 0x12], [0x20, 0x01, 0x0D, 0xB8], [0x20, 0x02, 81, 2], [0, 0],
      [0x20, 0x01, 0, 0], [0xFF, 0x02], [0x3F, 0xFF, 0],
    ].map { $0 + [UInt8](repeating: 1, count: 16 - $0.count) }
    _ = sent(.stored([]), .kernel(.opened))
    for address in private4 + private6 {
      _ = sent(.kernel(.bytes(KernelAddresses.change(true, address, index: 2))))
    }
    #expect(sent(.kernel(.bytes(NetlinkWriter.done(1)))) == [Self.lack(.address)])
    #expect(
      sent(.kernel(.bytes(KernelAddresses.change(true, Self.six, index: 3)))) == [
        Self.look(Self.six)
      ])
    #expect(
      sent(.kernel(.bytes(KernelAddresses.change(true, Self.own, index: 2)))) == [
        .close, Self.look(Self.own, Self.six),
      ])
  }

  @Test("RADIO-60: an address that changes is looked up anew; without one the region is gone")
  mutating func moves() {
    #expect(start(Self.own) == [Self.look(Self.own)])
    _ = sent(.channel(.places(.entries([Self.london]))))
    // The same address again, as when a lease is renewed, and on another interface.
    #expect(sent(.kernel(.bytes(KernelAddresses.change(true, Self.own, index: 2)))) == [])
    #expect(sent(.kernel(.bytes(KernelAddresses.change(true, Self.own, index: 3)))) == [])
    #expect(sent(.kernel(.bytes(KernelAddresses.change(false, Self.own, index: 3)))) == [])
    #expect(
      sent(.kernel(.bytes(KernelAddresses.change(false, Self.own, index: 2)))) == [
        Self.lack(.address)
      ])
    #expect(ran(seconds: 100_000) == [])
    #expect(
      sent(.kernel(.bytes(KernelAddresses.change(true, [9, 9, 9, 9], index: 2)))) == [
        Self.look([9, 9, 9, 9])
      ])
  }

  @Test("RADIO-60: of several addresses the one with the smallest radius counts")
  mutating func several() {
    _ = start(Self.own, Self.six)
    let entries: [GeoIPEntry] = [
      Self.london, .place(latitude: 52, longitude: 1, kilometers: 5),
      .place(latitude: 53, longitude: 1, kilometers: 5), .unknown,
    ]
    guard case .fix(let fix)? = sent(.channel(.places(.entries(entries)))).last else {
      Issue.record("no region")
      return
    }
    #expect(fix.coordinate.latitude == 52 && fix.horizontalAccuracy == 5000)
  }

  @Test("RADIO-61: a place without a radius has one of 200 km")
  mutating func noRadius() {
    _ = start(Self.own)
    let entry = GeoIPEntry.place(latitude: 51.5, longitude: -0.1, kilometers: nil)
    guard case .fix(let fix)? = sent(.channel(.places(.entries([entry])))).last else {
      Issue.record("no region")
      return
    }
    #expect(fix.horizontalAccuracy == 200_000)
  }

  @Test("RADIO-61: the file is read each hour, as it may be another one")
  mutating func again() {
    _ = start(Self.own)
    _ = sent(.channel(.places(.entries([Self.london]))))
    #expect(ran(seconds: 3599) == [])
    #expect(ran(seconds: 2) == [Self.look(Self.own)])
    let gone = ProviderStatus.unavailable(.missing("open /a b.mmdb: No such file or directory"))
    #expect(
      sent(.channel(.closed(.missing("open /a b.mmdb: No such file or directory"))))
        == [.status(gone)])
    #expect(ran(seconds: 3600) == [Self.look(Self.own)])
    #expect(
      sent(.channel(.places(.entries([Self.london])))).prefix(2) == [.close, .status(.working)])
  }

  @Test(
    "RADIO-62: says why there is no region",
    arguments: [
      (.entries([.unknown]), .missing(GeoIPLack.entry.rawValue)),
      (.entries([.unknown, .unplaced]), .missing(GeoIPLack.coordinates.rawValue)),
      (.entries([.impossible]), .missing(GeoIPLack.place.rawValue)),
      (.foreign, .malformed("/a b.mmdb is no MaxMind database")),
      (.damaged, .malformed("/a b.mmdb is damaged")),
    ] as [(GeoIPAnswer, ProviderStatus.Reason)])
  mutating func reasons(answer: GeoIPAnswer, reason: ProviderStatus.Reason) {
    _ = start(Self.own)
    #expect(
      sent(.channel(.places(answer))) == [.close, .status(.unavailable(reason))])
  }

  @Test("RADIO-62: what can be no place, or no radius, is counted and gives none")
  mutating func impossible() {
    _ = start(Self.own)
    let places: [(Double, Double, Double?)] = [
      (0, 0, 20), (91, 0, 20), (0, 181, 20), (.nan, 1, 20), (1, .infinity, nil), (1, 1, 0),
      (1, 1, -5), (1, 1, .nan), (1, 1, 65_535),
    ]
    let entries = places.map {
      GeoIPEntry.place(latitude: $0.0, longitude: $0.1, kilometers: $0.2)
    }
    #expect(
      sent(.channel(.places(.entries(entries)))) == [.close, Self.lack(.place)])
    #expect(bench.machine.driver.rejections.map(\.count) == [places.count])
  }

  @Test("RADIO-62: when the kernel's list breaks off, it is asked for again, later each time")
  mutating func lost() {
    _ = start(Self.own)
    let end = ProviderStatus.unavailable(.unreachable("no buffer"))
    #expect(sent(.kernel(.closed(.failed("no buffer")))) == [.close, .status(end)])
    #expect(ran(seconds: 1) == [.open(.addresses)])
    let torn = sent(.kernel(.opened), .kernel(.bytes([1, 2, 3])))
    #expect(torn.contains(.closeKernel))
    #expect(ran(seconds: 1) == [])
    #expect(ran(seconds: 1) == [.open(.addresses)])
    #expect(
      sent(.kernel(.opened), .kernel(.bytes(NetlinkWriter.error(1, 1)))).contains(.closeKernel))
    _ = ran(seconds: 4)
    #expect(start(Self.own) == [Self.look(Self.own)])
  }

  @Test("RADIO-60: addresses beyond those that a computer has are counted")
  mutating func many() {
    let addresses = (1...20).map { [8, 8, 8, UInt8($0)] }
    _ = sent(.stored([]), .kernel(.opened))
    let list = addresses.flatMap { KernelAddresses.change(true, $0, index: 2) }
    let outputs = sent(.kernel(.bytes(list + NetlinkWriter.done(1))))
    guard case .open(.look(let query))? = outputs.last else {
      Issue.record("\(outputs)")
      return
    }
    #expect(query.addresses == Array(addresses.prefix(16)))
    #expect(bench.machine.driver.rejections.map(\.count) == [4])
  }
}

/// Messages of the kernel about addresses, from linux/if_addr.h alone.
enum KernelAddresses {
  /// An address that an interface has, or has no more.
  static func change(_ isNew: Bool, _ address: [UInt8], index: UInt8) -> [UInt8] {
    let family: UInt8 = address.count == 4 ? 2 : 10
    // The address of IPv4 is the local one; the common one is that of the other end.
    let other = address.count == 4 ? NetlinkWriter.attribute(1, [10, 0, 0, 1]) : []
    return NetlinkWriter.frame(
      isNew ? 20 : 21,
      [family, 24, 0x80, 0, index, 0, 0, 0] + other
        + NetlinkWriter.attribute(address.count == 4 ? 2 : 1, address)
        + NetlinkWriter.attribute(6, [UInt8](repeating: 0xFF, count: 16)),
      flags: 2, sequence: 1)
  }
}
