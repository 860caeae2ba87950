import Foundation
import LocationModel
import LocationSecrets
import TestSupport
import Testing

@testable import LocationEngine
@testable import LocationFleet

@Suite("A device that an earlier version stored")
struct EarlierFormTests {
  /// As version 5 wrote it: ten minutes of driving in two fences.
  private static let stored = """
    BTIAAAjAmO7WNGFupdxQXk0plFC8JBinUKNEhFdQKBM61lA09kz3UDDjUNFQAuuHRgAIP/MzMzMzMzMCQFcBCEFQqp/WsK2PCEEe\
    2tWPJdEVCEFRj8gizu1PAkAkAA4CSnnflidJ/tWxUDBKMkUvVQxMEQ8ODQxQEQNFXPmC/kPbLWo1UZBEx/w4DSycAQ4NDFASERBQ\
    ABMAAWiIiGhgRAPJZIcMVBvO6BAIQEdAAAPuWm8IQBpmt0S4D0ACQD/sAfABCEAdAk6Rioc6AkAgCRwIAKEAAU0///8f4RBO7fDG\
    ySCMIQJA+3MQ0D9lQoZsnA3cAwQg4BJjD+v/DWKPlX2l6A+QEgQiCgkPAAQiAglmZW5jZS00MDAB7CSjAQjAeD8DxljtKPAkCWZl\
    bmNlLTkwMAHsJOMBCMCLv4HjLHaU8CQMCwAAGBcWFRQT7AHwARIREQAIAAAAwRRTDu3oFc4=
    """

  /// The same in the present form, in which much follows from the newest fix: computed anew on every machine.
  private static let present = """
    Bs4ACEBHQAAP6/8NCEAaZo+VfaXoAkAg8Jzu1jQECD/zMzMzMzMzAAesBGFupdxQXk0plFC8JBinUKNEhFdQKBM61lA09kz3\
    UDDjUNEADAJAVwEMCwoCQCRQDgJPed+WJ07+1bFQME8yRS9VDEwREA8ODFARA0Vc+YL+Q9stajVRkETH/DgNLJwBDg0MUBMS\
    EVAAEAABgQPuWm+At0S4D0BHaGBHhwxH6BACQD/sAfABCEAdAk6Rioc6Hx8eCACEAAGxP///H+EQZ+3wxskgjCECQPtzENA/\
    ZUKGbJwj3AMEIuASJSQjkBIEIiUkAAACCWZlbmNlLTQwMAGO7CQBCWZlbmNlLTkwMAGOAAEBAKX5R6o=
    """

  private static let name = FleetDeviceName(device: "device-58")

  private static func fences() throws -> FleetFences {
    var fences = FleetFences()
    let center = Coordinate(latitude: 46.5, longitude: 6.6)
    for radius in [400.0, 900] {
      try fences.insert(
        FleetFence(id: "fence-\(Int(radius))", .circle(Circle(center: center, radius: radius))))
    }
    return fences
  }

  /// The fixes that the device had taken when it was stored.
  private static var fixes: [Fix] {
    var random = SeededRandom(seed: 58)
    return (0..<60).map { step in
      let way = 0.00015 * Double(step % 20 < 10 ? step % 10 : 10 - step % 10)
      var fix = Fix(
        coordinate: Coordinate(
          latitude: 46.5 + .random(in: -3e-5...3e-5, using: &random),
          longitude: 6.6 + way + .random(in: -3e-5...3e-5, using: &random)),
        horizontalAccuracy: 8, time: UnixTime(seconds: 1_767_600_000) + .seconds(10 * step))
      fix.speed = 1.2
      return fix
    }
  }

  @Test("FLEET-2: is read as it was, and written again in fewer bytes, which are read as they were")
  func earlier() throws {
    let fences = try Self.fences()
    let bytes = [UInt8](try #require(Data(base64Encoded: Self.stored)))
    let present = [UInt8](try #require(Data(base64Encoded: Self.present)))
    #expect(present.count < bytes.count * 8 / 10)
    var made = FleetDevice(Self.name)
    for fix in Self.fixes { _ = made.take(fix, received: nil, fences, .init()) }
    #expect(made.stored(fences) == present)
    for form in [bytes, present] {
      let device = try #require(FleetDevice(Self.name, stored: form, fences))
      #expect(device.stored(fences) == present)
      #expect(Inside(device) == Inside(made))
    }
  }

  /// What the detectors of a device hold, as text: what is stored of it may be written alike where it differs.
  private struct Inside: Equatable {
    var parts: [String]

    init(_ device: FleetDevice) {
      parts = [
        "\(device.order)", "\(device.motion)", "\(device.visits)", "\(device.moves)",
        "\(device.follower.entries)", "\(String(describing: device.follower.last))",
        "\(String(describing: device.follower.rest))", "\(device.inside)", "\(device.sought)",
        "\(device.shift)", "\(String(describing: device.newest))",
      ]
    }
  }

  @Test(
    "FLEET-2: a device that waits for earlier fixes, or whose clock was set back, is read as it was",
    arguments: [0.0, 60], [false, true])
  func unusual(window: Double, isSetBack: Bool) throws {
    let fences = try Self.fences()
    var settings = FleetDevice.Settings()
    settings.window = window
    var device = FleetDevice(Self.name)
    for (number, fix) in Self.fixes.enumerated() {
      var fix = fix
      let received = fix.time + .nanoseconds(123_456_789 * Int64(number))
      if isSetBack, number > 30 { fix.time = fix.time - .seconds(86_400) }
      _ = device.take(fix, received: received, fences, settings)
      let bytes = device.stored(fences)
      let read = try #require(FleetDevice(Self.name, stored: bytes, fences))
      #expect(Inside(read) == Inside(device))
      #expect(read.stored(fences) == bytes)
    }
    #expect(device.shift > .zero || !isSetBack)
  }

  @Test("FLEET-19: a device lies in the bucket in which it always has")
  func buckets() {
    let numbers = ["device-58", "truck-12", "caf\u{e9}"].map {
      FleetAddress.bucket(of: FleetDeviceName(tenant: "acme", device: $0), count: 256)
    }
    #expect(numbers == [8, 170, 162])
  }
}

/// What earlier versions have stored of a bucket.
enum EarlierForm {
  static func bytes(of bucket: StateBucket) -> [UInt8] {
    var writer = ByteWriter()
    writer.append(1)
    writer.append(number: bucket.position)
    writer.append(number: UInt64(bucket.devices.count))
    for device in bucket.devices {
      writer.append(run: Array(device.name.tenant.utf8))
      writer.append(run: Array(device.name.device.utf8))
      writer.append(run: device.bytes)
    }
    return writer.sealed
  }

  /// As they were sealed with the key of a partition alone.
  static func sealed(
    _ bucket: StateBucket, at place: String, number: UInt64, _ key: SecretKey
  ) -> [UInt8] {
    var writer = ByteWriter()
    writer.append(number: number)
    let nonce = [UInt8](repeating: 7, count: Seal.nonceLength)
    return [2] + writer.bytes
      + Seal.seal(bytes(of: bucket), at: Array(place.utf8), nonce: nonce, with: key)
  }
}

@Suite("Buckets that an earlier version stored")
struct EarlierBucketTests {
  @Test(
    "FLEET-19: with or without a seal they are read, and judged on as if nothing had changed",
    arguments: [false, true], [false, true])
  func earlier(isSealed: Bool, isElsewhere: Bool) throws {
    var bench = try FleetBench(seed: 3, devices: 5, fixes: 60)
    try bench.publishFences()
    var broker = MemoryBroker(bench.logs, death: 70)
    bench.run("a", &broker)
    let stored = bench.logs.messages(.state(0))
    let values = Dictionary(stored.map { ($0.entry.subject, $0) }) { $1 }
    var keys = StateKeys(of: 0, values)
    let key = try #require(values["st.0.key.1"].flatMap { SecretKey(bytes: $0.entry.bytes) })
    var count = 0
    for message in stored where message.entry.bytes.first == 4 {
      let place = message.entry.subject
      let bucket = try keys.open(Array(message.entry.bytes.dropFirst()), at: place).bucket
      let bytes =
        isSealed
        ? EarlierForm.sealed(bucket, at: place, number: 1, key)
        : [0] + EarlierForm.bytes(of: bucket)
      _ = bench.logs.add(LogEntry(subject: place, bytes: bytes), to: .state(0))
      count += 1
    }
    #expect(count > 2)
    if isElsewhere { bench.tenantKeys = TenantKeyTests.elsewhere() }
    var next = MemoryBroker(bench.logs)
    bench.run("b", &next)
    #expect(bench.events == (try bench.expected()))
    #expect(
      bench.logs.messages(.state(0)).allSatisfy {
        $0.entry.subject.contains("key") || $0.entry.subject.contains("tenant")
          || $0.entry.subject.contains("checkpoint") || !isElsewhere || $0.entry.bytes.first == 4
      })
  }
}
