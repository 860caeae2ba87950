import LocationModel
import Testing

@testable import LocationFleet

@Suite("Devices that are bytes")
struct StoredDevicesTests {
  /// What is stored of a device in a step of a test.
  private static func bytes(_ count: Int, _ mark: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: mark &+ $0) }
  }

  @Test("FLEET-2: are kept as they were through 20,000 changes of every length")
  func changes() {
    var random = SeededRandom(seed: 5)
    var stored = StoredDevices()
    var expected: [FleetDeviceName: [UInt8]] = [:]
    for step in 0..<20_000 {
      let name = FleetDeviceName(
        tenant: ["", "a", "tenant"][Int.random(in: 0..<3, using: &random)],
        device: "device-\(Int.random(in: 0..<400, using: &random))")
      if Int.random(in: 0..<3, using: &random) == 0 {
        #expect(stored.remove(name) == expected.removeValue(forKey: name))
      } else {
        // Once in a while longer than a piece of memory.
        let longest = step % 100 == 0 ? 40_000 : 500
        let bytes = Self.bytes(Int.random(in: 0...longest, using: &random), step)
        stored.insert(bytes, of: name)
        expected[name] = bytes
      }
      #expect(stored.count == expected.count)
      if step % 1000 == 0 { stored.compact() }
    }
    #expect(stored.names.sorted() == expected.keys.sorted())
    #expect(stored.stateBytes == expected.values.reduce(0) { $0 + $1.count })
    for (name, bytes) in expected { #expect(stored[name] == bytes) }
    #expect(stored.devices(in: 0).allSatisfy { expected[$0.name] == $0.bytes })
    #expect(stored[FleetDeviceName(tenant: "b", device: "device-1")] == nil)
  }

  @Test("FLEET-93: names of the same text in other bytes are two")
  func names() {
    var stored = StoredDevices()
    let (one, two) = ("caf\u{e9}", "cafe\u{301}")
    stored.insert([1], of: FleetDeviceName(device: one))
    stored.insert([2], of: FleetDeviceName(device: two))
    // What is the end of a tenant here is the beginning of a device there.
    stored.insert([3], of: FleetDeviceName(tenant: "c", device: "af\u{e9}"))
    #expect(stored.count == 3)
    #expect(stored[FleetDeviceName(device: one)] == [1])
    #expect(stored.remove(FleetDeviceName(device: two)) == [2])
    #expect(stored.names.count == 2)
  }

  @Test("FLEET-2: do not take the memory of those that were longer or shorter before")
  func gaps() {
    var stored = StoredDevices()
    for length in stride(from: 200, to: 400, by: 8) {
      for number in 0..<1000 {
        stored.insert(
          Self.bytes(length, number), of: FleetDeviceName(device: "device-\(number)"))
      }
      stored.compact()
    }
    let needed = 1000 * 416
    #expect(stored.memorySize < needed * 3 / 2)
    for number in 0..<1000 {
      #expect(
        stored[FleetDeviceName(device: "device-\(number)")] == Self.bytes(392, number))
    }
    for number in 0..<1000 { _ = stored.remove(FleetDeviceName(device: "device-\(number)")) }
    #expect(stored.memorySize == 0)
  }

  @Test("FLEET-125: those of all buckets share memory, of which hardly any is left over")
  func shared() {
    let buckets = 256
    var stored = StoredDevices(buckets: buckets)
    let names = (0..<15_625).map { FleetDeviceName(device: "device-\($0)") }
    // Twice, as what has changed lies elsewhere.
    for round in 0..<2 {
      for (number, name) in names.enumerated() {
        stored.insert(Self.bytes(256 + (number + round) % 12, number), of: name)
      }
    }
    let needed = stored.stateBytes + names.reduce(0) { $0 + $1.device.utf8.count + 8 }
    #expect(Double(stored.reservedMemory) < 1.05 * Double(needed))
    var found: [FleetDeviceName] = []
    for bucket in 0..<buckets {
      let devices = stored.devices(in: bucket)
      #expect(devices.map(\.name) == stored.names(in: bucket))
      for (name, bytes) in devices {
        #expect(FleetAddress.bucket(of: name, count: buckets) == bucket && stored[name] == bytes)
      }
      found += devices.map(\.name)
    }
    #expect(found.sorted() == names.sorted())
  }
}
