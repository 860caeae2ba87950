import LocationModel
import Testing

@Suite("A beacon's identity")
struct BeaconIdentityTests {
  let uuid = BeaconUUID(high: 0xE2C5_6DB5_DFFB_48D2, low: 0xB060_D0F5_A710_96E0)

  @Test("prints the canonical form and returns its bytes")
  func bytes() {
    #expect("\(uuid)" == "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0")
    #expect(BeaconUUID(bytes: uuid.bytes) == uuid)
    #expect(BeaconUUID(bytes: uuid.bytes.dropLast()) == nil)
    #expect(BeaconUUID(bytes: uuid.bytes + [0]) == nil)
  }

  @Test("BEACON-4: a missing part of a constraint matches anything")
  func wildcards() {
    let identity = BeaconIdentity(uuid: uuid, major: 1, minor: 2)
    #expect(BeaconConstraint(uuid: uuid).matches(identity))
    #expect(BeaconConstraint(uuid: uuid, major: 1).matches(identity))
    #expect(BeaconConstraint(uuid: uuid, major: 1, minor: 2).matches(identity))
    #expect(BeaconConstraint(uuid: uuid, minor: 2).matches(identity))
    #expect(!BeaconConstraint(uuid: uuid, major: 2).matches(identity))
    #expect(!BeaconConstraint(uuid: uuid, major: 1, minor: 1).matches(identity))
    #expect(!BeaconConstraint(uuid: BeaconUUID(high: 0, low: 0)).matches(identity))
  }

  @Test("BEACON-5: constraints with the same parts are equal")
  func equality() {
    #expect(BeaconConstraint(uuid: uuid, major: 1) == BeaconConstraint(uuid: uuid, major: 1))
    #expect(BeaconConstraint(uuid: uuid, major: 0) != BeaconConstraint(uuid: uuid))
  }

  @Test(
    "is received from an address of six pairs of digits",
    arguments: [
      "C0:00:00:00:00", "C0:00:00:00:00:0G", "C0:00:00:00:00:+1", "C00:0:00:00:00:01", "",
    ]
  )
  func wrongAddress(text: String) {
    #expect(BluetoothAddress("c0:00:00:00:00:01") == BluetoothAddress(bits: 0xC000_0000_0001))
    #expect(BluetoothAddress(text) == nil)
  }
}
