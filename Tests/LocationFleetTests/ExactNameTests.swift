import LocationModel
import LocationSecrets
import TestSupport
import Testing

@testable import LocationFleet

@Suite("Names that differ in their Unicode form alone")
struct ExactNameTests {
  private static let composed = "caf\u{e9}"
  private static let decomposed = "cafe\u{301}"
  private static let tenants = [composed, decomposed]
  private static let names = tenants.map { FleetDeviceName(tenant: $0, device: "van") }

  @Test("FLEET-93: they are two tenants and two devices of a fleet, in the order of their bytes")
  func fleet() {
    #expect(Self.composed == Self.decomposed)
    let devices = Self.tenants.map { FleetDeviceName(device: $0) }
    let all = Self.names + devices
    #expect(Set(all).count == 4 && all[0] != all[1] && all[2] != all[3])
    let expected = [devices[1], devices[0], Self.names[1], Self.names[0]]
    #expect(all.sorted() == expected)
    var fleet = Fleet(FleetFences())
    for name in all { _ = fleet.take(FleetWalk(seed: 1, count: 1).fixes[0], of: name) }
    let gone = fleet.forget(tenant: Self.composed)
    #expect(gone == 1 && fleet.names == expected.dropLast())
  }

  @Test("FLEET-93: each has its own lines in a configuration, its own limits, and its own figures")
  func limits() {
    var faults: [FleetConfiguration.Fault] = []
    let configuration = IngressConfiguration(
      "tenant = caf_c3_a9 rate=1 burst=1\ntenant = cafe_cc_81 rate=1 burst=1\n", &faults)
    #expect(faults.isEmpty && configuration.tenants.tenants.count == 2)
    var limits = configuration.tenants.limits(connections: 8)
    let now = Instant.start + .seconds(9)
    let verdicts = (Self.names + Self.names).map {
      limits.admit(2, of: $0, at: now, waiting: .zero) == .passes
    }
    #expect(verdicts == [true, true, false, false])
    var judged = FleetFigures.Judged()
    for tenant in Self.tenants { judged.count(tenant, "accepted") }
    #expect(judged.fixes.count == 2)
  }

  @Test("FLEET-93: an account of one speaks for none of the other")
  func accounts() {
    var faults: [FleetConfiguration.Fault] = []
    let accounts = DeviceAccounts(Array("u caf_c3_a9 caf_c3_a9 - $argon2id$x\n".utf8), &faults)
    let account = accounts.byUser["u"]
    #expect(faults.isEmpty && account?.name(claiming: Self.composed) != nil)
    #expect(account?.name(claiming: Self.decomposed) == nil)
    #expect(account?.topic("in/caf_c3_a9/caf_c3_a9") != .foreign)
    #expect(account?.topic("in/cafe_cc_81/caf_c3_a9") == .foreign)
    #expect(account?.topic("in/caf_c3_a9/cafe_cc_81") == .foreign)
  }

  @Test("FLEET-93: each has a key of its own for what is stored")
  func keys() throws {
    let devices = Self.names.sorted().map { StateBucket.Device(name: $0, bytes: [1]) }
    let source = TenantKeySource.elsewhere { (tenant) throws(BrokerFault) in
      guard tenant.utf8.count == Self.composed.utf8.count else {
        throw .sealed(tenant: tenant, "is not there")
      }
      return SecretKey(seed: 1)
    }
    var whole = StateKeys(of: 0, [:], TenantKeyTests.elsewhere())
    var part = StateKeys(of: 0, [:], source)
    whole.add(SecretKey(seed: 9), number: 1, sequence: 1)
    part.add(SecretKey(seed: 9), number: 1, sequence: 1)
    var generator = KeyedGenerator(SecretKey(seed: 5))
    let bucket = StateBucket(position: 1, devices: devices)
    let bytes = try whole.seal(bucket, at: "st.0.1", using: &generator)
    #expect(try whole.open(bytes, at: "st.0.1").bucket == bucket)
    let closed = try part.open(bytes, at: "st.0.1").closed
    #expect(closed.map { Array($0.tenant.utf8) }.contains(Array(Self.decomposed.utf8)))
  }

  @Test("FLEET-93: a fence of one tells nothing of the other, and goes with its own tenant alone")
  func fences() throws {
    let features = Self.tenants.map { tenant in
      #"{"type":"Feature","id":"\#(tenant.utf8.count)","geometry":{"type":"Point","#
        + #""coordinates":[6,46]},"properties":{"radius":5,"tenant":"\#(tenant)"}}"#
    }
    func file(_ features: [String]) -> [UInt8] {
      Array(
        #"{"type":"FeatureCollection","features":[\#(features.joined(separator: ","))]}"#.utf8)
    }
    let whole = file(features)
    #expect(try FenceFile.removing(Self.composed, from: whole) == file([features[1]]))
    let fences = try FenceFile.read(whole)
    let concerned = (0..<2).map { slot in
      Self.names.map { fences.concerns(FleetFences.Slot(slot), $0, group: nil) }
    }
    #expect(concerned == [[true, false], [false, true]])
  }
}
