import Foundation
import LocationModel
import Testing

@testable import LocationFleet

@Suite("A device that an earlier version stored")
struct EarlierFormTests {
  /// As version 4 wrote it: ten minutes of driving in two fences.
  private static let stored = """
    BAABAAAIwJju1jQIQEdAABJC3qEIQBpnonIGVtVQQF4F2NE/dPEBihVQSD//FCEvBT9ZZmJUT1BAZGEejkknw6/Tc1Be\
    KF5VYD8JfrXZk1BKzdH3f2Zm2tcOJSlQSipoTHc/syicmyBQfA/r/w0/j5V9pegAAAAIP/MzMzMzMzMCQFcBCEFQqp/W\
    sK2PCEEe2tWPJdEVCEFRj8gizu1PAkAkAA4CSnnflidJ/tWxUDBKMkUvVQxMEQ8ODQxQEQNFXPmC/kPbLWo1UZBEx/w4\
    DSycAQ4NDFASERBQAQATAQABaIiIaGBEA8lkhwxUG87oEIsD7lpvlLdEuA9AAkA/7AHwAQhAHQJOkYqHOgJAIAkcCAAA\
    AAEAAAG4/x/hELft8MbJIIwhAAACQPtzENA/ZUKGbJwN3AMEIOASIiENkBIEIAABIiENAAQgAglmZW5jZS00MDABAAHs\
    JAEBAQAAAAEIwHg/A8ZY7SjwJAlmZW5jZS05MDABAAHsJAEBAQAAAAEIwIu/geMsdpTwJAEkIwAAARYVFBMSEewB8AEQ\
    Dw8ACAAAAAC60g5uSojksw==
    """

  @Test("FLEET-2: is read as it was, and written again in fewer bytes, which are read as they were")
  func earlier() throws {
    var fences = FleetFences()
    let center = Coordinate(latitude: 46.5, longitude: 6.6)
    for radius in [400.0, 900] {
      try fences.insert(
        FleetFence(id: "fence-\(Int(radius))", .circle(Circle(center: center, radius: radius))))
    }
    let name = FleetDeviceName(device: "device-58")
    let bytes = [UInt8](try #require(Data(base64Encoded: Self.stored)))
    #expect(bytes.first == 4)
    let device = try #require(FleetDevice(name, stored: bytes, fences))
    let present = device.stored(fences)
    #expect(present.first == 5)
    #expect(present.count < bytes.count * 9 / 10)
    #expect(try #require(FleetDevice(name, stored: present, fences)).stored(fences) == present)
  }
}
