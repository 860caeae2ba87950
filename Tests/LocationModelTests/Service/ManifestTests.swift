import LocationModel
import Testing

@Suite("A manifest")
struct ManifestTests {
  @Test("MODEL-3: declares nothing when there is no property list")
  func missing() {
    let manifest = Manifest(file: "Walk.plist")
    #expect(manifest.whenInUseUsage == nil && manifest.alwaysUsage == nil)
    #expect(!manifest.defaultAccuracyReduced && !manifest.requiresExplicitServiceSession)
    #expect(!manifest.hasLocationBackgroundMode && manifest.temporaryUsage.isEmpty)
    #expect(manifest.file == "Walk.plist")
  }

  @Test("reads every key that matters")
  func complete() {
    let manifest = Manifest([
      "CFBundleDisplayName": .string("Walk"), "CFBundleName": .string("walk"),
      "NSLocationWhenInUseUsageDescription": .string("a"),
      "NSLocationAlwaysAndWhenInUseUsageDescription": .string("b"),
      "NSLocationAlwaysUsageDescription": .string("c"),
      "NSLocationTemporaryUsageDescriptionDictionary": .dictionary([
        "race": .string("d"), "empty": .string(""), "number": .integer(1),
      ]),
      "NSLocationDefaultAccuracyReduced": .bool(true),
      "NSLocationRequireExplicitServiceSession": .bool(true),
      "UIBackgroundModes": .array([.string("audio"), .string("location")]),
    ])
    #expect(manifest.displayName == "Walk")
    #expect(manifest.whenInUseUsage == "a")
    #expect(manifest.alwaysUsage?.text == "b" && manifest.alwaysUsage?.isOlder == false)
    #expect(manifest.temporaryUsage == ["race": "d"])
    #expect(manifest.defaultAccuracyReduced && manifest.requiresExplicitServiceSession)
    #expect(manifest.hasLocationBackgroundMode)
  }

  @Test("AUTH-25: takes the one key of macOS where there is no other")
  func mac() {
    let key = "NSLocationUsageDescription"
    let alone = Manifest([key: .string("m")])
    #expect(alone.whenInUseUsage == "m" && alone.alwaysUsage?.text == "m")
    let both = Manifest([key: .string("m"), "NSLocationWhenInUseUsageDescription": .string("a")])
    #expect(both.whenInUseUsage == "a")
  }

  @Test("AVAIL-6: keeps what the app requires of a device, as a list or with a word for each")
  func capabilities() {
    let key = "UIRequiredDeviceCapabilities"
    #expect(
      Manifest([key: .array([.string("gps"), .integer(1)])]).requiredCapabilities == ["gps"])
    let words = ManifestValue.dictionary(["magnetometer": .bool(true), "gps": .bool(false)])
    #expect(Manifest([key: words]).requiredCapabilities == ["magnetometer"])
    #expect(Manifest([key: .string("gps")]).requiredCapabilities.isEmpty)
  }

  @Test("AUTH-25: tells when only the older key is there")
  func older() {
    let manifest = Manifest(["NSLocationAlwaysUsageDescription": .string("c")])
    #expect(manifest.alwaysUsage?.text == "c" && manifest.alwaysUsage?.isOlder == true)
  }

  @Test("SESS-10: takes both spellings of the key, and the older spellings of yes")
  func spellings() {
    for key in ["NSLocationRequireExplicitServiceSession", "CLRequireExplicitServiceSession"] {
      for yes in [ManifestValue.bool(true), .integer(1), .string("YES")] {
        #expect(Manifest([key: yes]).requiresExplicitServiceSession)
      }
      for no in [ManifestValue.bool(false), .integer(0), .string("NO"), .array([])] {
        #expect(!Manifest([key: no]).requiresExplicitServiceSession)
      }
    }
  }

  @Test("AUTH-19: takes an empty text, and a value of another type, for none")
  func wrongTypes() {
    for value in [ManifestValue.string(""), .integer(3), .bool(true), .array([.string("a")])] {
      #expect(Manifest(["NSLocationWhenInUseUsageDescription": value]).whenInUseUsage == nil)
    }
    #expect(!Manifest(["UIBackgroundModes": .string("location")]).hasLocationBackgroundMode)
  }

  @Test("prints diagnostics by Apple's names")
  func diagnostics() {
    #expect("\(Diagnostics())" == "none")
    #expect(
      "\([.locationUnavailable, .authorizationDenied] as Diagnostics)"
        == "authorizationDenied locationUnavailable")
    #expect(Diagnostics.names.count == 10)
  }
}
