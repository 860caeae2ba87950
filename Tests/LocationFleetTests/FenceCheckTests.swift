import LocationModel
import Testing

@testable import LocationFleet

@Suite("A file of fences before it is published")
struct FenceCheckTests {
  private static func feature(_ id: String, _ properties: String, radius: Double = 100) -> String {
    """
    {"type":"Feature","id":"\(id)","geometry":{"type":"Point","coordinates":[6.63,46.52]},\
    "properties":{"radius":\(radius)\(properties)}}
    """
  }

  private static func file(_ features: [String]) -> [UInt8] {
    Array(#"{"type":"FeatureCollection","features":[\#(features.joined(separator: ","))]}"#.utf8)
  }

  private static func fences(_ features: String...) throws -> FleetFences {
    try FenceFile.read(file(features))
  }

  @Test("FLEET-161: what would change is said by tenant, with the names of the fences")
  func differences() throws {
    let before = try Self.fences(
      Self.feature("a", ""), Self.feature("b", #","tenant":"acme""#),
      Self.feature("c", #","tenant":"acme""#), Self.feature("d", #","tenant":"""#))
    let after = try Self.fences(
      Self.feature("a", #","dwell":60"#), Self.feature("b", #","tenant":"acme""#),
      Self.feature("f", #","tenant":"acme""#), Self.feature("e", #","tenant":"acme""#))
    #expect(
      after.differences(since: before).map(\.text) == [
        "everybody's: 1 changed (a)", "tenant -: 1 removed (d)",
        "tenant acme: 2 new (e, f); 1 removed (c)",
      ])
    #expect(before.differences(since: before).isEmpty)
  }

  @Test(
    "FLEET-161: more than half of the fences in force are most of them",
    arguments: [(0, 0, false), (0, 3, false), (1, 2, false), (2, 3, true), (3, 3, true)])
  func most(gone: Int, before: Int, isMost: Bool) {
    #expect(FleetFences.Change(new: 0, changed: 0, gone: gone).removesMost(of: before) == isMost)
  }

  @Test("FLEET-161: a property that is nearly one is named, and others are passed over in silence")
  func properties() throws {
    var strange: FenceProperties? = FenceProperties()
    let outside = Self.feature("c", "").replacing(#""id""#, with: #""dwell":60,"id""#)
    _ = try FenceFile.read(
      Self.file([
        Self.feature("a", #","dwel":60,"name":"depot","color":"red""#),
        Self.feature("b", #","dwel":60,"raduis":5"#), outside,
      ]), &strange)
    #expect(
      strange?.warnings == [
        #"feature 1 (and 1 others): property "dwel" is passed over; did you mean "dwell"?"#,
        #"feature 2: property "raduis" is passed over; did you mean "radius"?"#,
        #"feature 3: "dwell" is passed over, as it is not among the "properties""#,
      ])
  }

  @Test("FLEET-161: a tenant that the configuration does not know is named")
  func tenants() throws {
    let fences = try Self.fences(
      Self.feature("a", #","tenant":"acmee""#), Self.feature("b", #","tenant":"acmee""#),
      Self.feature("c", #","tenant":"zz""#), Self.feature("d", #","tenant":"acme""#))
    let found = fences.unknownOwners(["acme"], isWhole: true)
    #expect(found.count == 2)
    #expect(found.first?.hasPrefix(#"2 fences are of tenant "acmee", which no account"#) == true)
    #expect(found.first?.hasSuffix(#"did you mean "acme"?"#) == true)
    #expect(found.last?.hasPrefix(#"1 fence is of tenant "zz""#) == true)
    // Devices with certificates may have tenants that stand nowhere.
    #expect(fences.unknownOwners(["acme"], isWhole: false).count == 1)
    #expect(fences.unknownOwners([], isWhole: true).isEmpty)
  }

  @Test("FLEET-161: a radius has a bound, half the way around the earth")
  func radius() throws {
    _ = try Self.fences(Self.feature("a", "", radius: 20_037_508))
    let fault = #expect(throws: FenceFile.Fault.self) {
      try Self.fences(Self.feature("a", "", radius: 20_037_509))
    }
    #expect(fault?.cause == "the radius is above 20037508 m, half the way around the earth")
  }
}
