import Foundation
import LocationModel
import Testing

@testable import LocationFleet

@Suite("A device that an earlier version stored")
struct EarlierFormTests {
  /// As version 3 wrote it: ten minutes of driving in two fences.
  private static let stored = """
    AwABAAAIgLDL9Y7T44cxCEBHP//7EbraCEAaZ8/xBP/ggJDfwEoIQEdAABJC3qEIQBpnonIGVtWAkN/ASghAR0AAXg\
    XY0QhAGmd08QGKFYCQ38BKCEBHP/8UIS8FCEAaZ1lmYlRPgJDfwEoIQEc//2RhHo4IQBpnJ8Ov03OAkN/ASghAR0AA\
    KF5VYAhAGmcJfrXZk4CQ38BKCEBHP//N0fd/CEAaZtrXDiUpgJDfwEoIQEdAACpoTHcIQBpmsyicmyAAAAAIP/MzMz\
    MzMzMCQFcBCEFQqp9535YnCEEe2v7VsVAwCEFRj8gyRS9VAkAkAA4CCEFQqp9c+YL+CEEe2y1qNVGQCEFRj8f8OA0s\
    DP+P38BKEQ8ODQyAkN/AShEDCEFQqp7BIuCQCEEe22NMr94fCEFRj8gxFHfN/5++gZUBDg0MgJDfwEoSERCAkN/ASg\
    EAEwEAAQhBUKqfY1Co9AhBHtsZzL9XmghBUY/IGHmQOwhARz///jieVQhAGmbKKnJZwAJANf+fvoGVAYCgvoGVAQhA\
    Exr5QqKfyAJAIAkcBgAAAAEAAAEIQEc///8f4RAIQBpm7fDGySD/v9Kmoh4AAAIIQEc///tzENAIQBpmZUKGbJwN/9\
    +6hL8DBCCA4KWWuxEiIQ2AwOeUphAEIAABIiENAAQgAglmZW5jZS00MDABAAH/n42r4SEBAQEAAAABCMB3mEG7KOY5\
    gKCNq+EhCWZlbmNlLTkwMAEAAf+fjavhIQEBAQAAAAEIwItsIN2UcxyAoI2r4SEBJCMAAAEWFRQTEhH/n76BlQGAoL\
    6BlQEQDw8ABgAAAABRtbgn3XBHsQ==
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
    #expect(bytes.first == 3)
    let device = try #require(FleetDevice(name, stored: bytes, fences))
    let present = device.stored(fences)
    #expect(present.first == 4)
    #expect(present.count < bytes.count * 3 / 4)
    #expect(try #require(FleetDevice(name, stored: present, fences)).stored(fences) == present)
  }
}
