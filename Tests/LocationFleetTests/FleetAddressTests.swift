import LocationModel
import Testing

@testable import LocationFleet

@Suite("The names of a fleet's streams")
struct FleetAddressTests {
  @Test(
    "FLEET-24: a name is one part of a subject, and comes back from it",
    arguments: [
      ("truck-12", "truck-12"), ("dev 1", "dev_201"), ("", "_"), ("-", "_2d"), ("a_b", "a_5fb"),
      ("a.b*>", "a_2eb_2a_3e"), ("é", "_c3_a9"),
    ])
  func parts(name: String, part: String) {
    #expect(FleetAddress.part(name) == part)
    #expect(FleetAddress.name(part) == name)
  }

  @Test(
    "FLEET-24: what is no part of a name is refused",
    arguments: ["-", "", "_2", "_zz", "_ff", "a b"])
  func noParts(part: String) { #expect(FleetAddress.name(part) == nil) }

  @Test("FLEET-24: a subject is that of its device and of no other")
  func subjects() {
    for name in [
      FleetDeviceName(tenant: "acme", device: "truck-12"), FleetDeviceName(device: "a b"),
      FleetDeviceName(tenant: "_", device: "x"), FleetDeviceName(device: "x"),
    ] {
      let subject = FleetAddress.fixes(of: name, partition: 7)
      #expect(FleetAddress.device(ofFixes: subject) == name)
      #expect(FleetAddress.isFixes(subject, of: name.tenant, name.device, head: "fix.7."))
      #expect(!FleetAddress.isFixes(subject, of: name.tenant, name.device, head: "fix.8."))
      #expect(!FleetAddress.isFixes(subject, of: name.tenant, name.device + "1", head: "fix.7."))
      #expect(!FleetAddress.isFixes(subject, of: "other", name.device, head: "fix.7."))
    }
  }

  @Test("FLEET-24: the partition is FNV-1a of the parts, one behind the other")
  func partition() {
    // The published value of the 32 bits of "foobar".
    let hash: UInt32 = 0xbf9c_f968
    let name = FleetDeviceName(tenant: "foo", device: "bar")
    for count in [1, 7, 64, 1024] {
      #expect(FleetAddress.partition(of: name, count: count) == Int(hash % UInt32(count)))
    }
  }

  @Test("FLEET-24: devices with like names are spread over the buckets evenly")
  func spread() {
    var counts = [Int](repeating: 0, count: 256)
    for number in 0..<25_600 {
      counts[FleetAddress.bucket(of: FleetDeviceName(device: "device-\(number)"), count: 256)] += 1
    }
    #expect(counts.allSatisfy { (50...170).contains($0) })
  }

  @Test("FLEET-19: a bucket of an earlier version is read, and no damaged byte is believed")
  func buckets() throws {
    let bucket = StateBucket(
      position: 1 << 40,
      devices: [
        StateBucket.Device(name: FleetDeviceName(tenant: "a", device: "b"), bytes: [1, 2, 3])
      ])
    let bytes = EarlierForm.bytes(of: bucket)
    #expect(StateBucket(bytes) == bucket)
    for place in bytes.indices {
      var damaged = bytes
      damaged[place] ^= 0x10
      #expect(StateBucket(damaged) == nil)
      #expect(StateBucket(Array(bytes[..<place])) == nil)
    }
    let checkpoint = Checkpoint(position: 77, fences: "0123456789abcdef", buckets: 256)
    #expect(Checkpoint(checkpoint.encoded) == checkpoint)
  }
}
