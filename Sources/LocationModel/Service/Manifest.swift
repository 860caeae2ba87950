/// What an app declares about its use of location in its information property list.
///
/// A missing key has the same effect as on Apple's systems (MODEL-3). The host reads the file; it
/// passes the strings of the person's locale beside it (AUTH-52).
package struct Manifest: Hashable, Sendable {
  /// The bundle identifier; `nil` when none is declared.
  package var identifier: String?
  /// The name shown to people; `nil` when none is declared.
  package var displayName: String?
  /// The text of the first question; `nil` when missing or empty (AUTH-19).
  package var whenInUseUsage: String?
  /// The text of the question for Always; `nil` when missing or empty (AUTH-25).
  package var alwaysAndWhenInUseUsage: String?
  /// The older text of the question for Always; `nil` when missing or empty (AUTH-25).
  package var olderAlwaysUsage: String?
  /// Why full accuracy is needed for a while, by purpose key (AUTH-47).
  package var temporaryUsage: [String: String]
  /// Why the app wants to be a beacon; `nil` when missing or empty.
  package var bluetoothUsage: String?
  /// Whether a grant is for reduced accuracy unless the person says otherwise (AUTH-40).
  package var defaultAccuracyReduced: Bool
  /// Whether modern services need a service session of the app's own making (SESS-10).
  package var requiresExplicitServiceSession: Bool
  /// Whether the background modes contain `location` (STD-46, BGA-2).
  package var hasLocationBackgroundMode: Bool
  /// What the app needs of a device, as it declares; judged by `doctor` alone (AVAIL-6).
  package var requiredCapabilities: [String]
  /// The file it was read from, or the one to create; for messages only.
  package var file: String

  /// Nothing declared.
  package init(file: String = "Info.plist") {
    self.init([:], file: file)
  }

  /// Reads the keys that matter here; values of another type count as missing, and texts that are
  /// longer than anybody reads are cut (``Bounds``).
  package init(
    _ values: [String: ManifestValue], localized: [String: String] = [:],
    file: String = "Info.plist"
  ) {
    func text(_ key: String, _ limit: Int = Bounds.textBytes) -> String? {
      (localized[key] ?? values[key]?.string)
        .flatMap { $0.isEmpty ? nil : Bounds.cut($0, to: limit) }
    }
    identifier = values[Key.identifier]?.string
    displayName = text(Key.displayName, Bounds.nameBytes) ?? text(Key.name, Bounds.nameBytes)
    whenInUseUsage = text(Key.whenInUse) ?? text(Key.ofMac)
    alwaysAndWhenInUseUsage = text(Key.always)
    olderAlwaysUsage = text(Key.olderAlways) ?? text(Key.ofMac)
    let purposes = values[Key.temporary]?.dictionary ?? [:]
    let known = purposes.filter { $0.key.utf8.count <= Bounds.purposeBytes }
      .sorted { $0.key < $1.key }.prefix(Bounds.purposes)
    temporaryUsage = known.reduce(into: [:]) { usage, entry in
      guard let text = localized[entry.key] ?? entry.value.string, !text.isEmpty else { return }
      usage[entry.key] = Bounds.cut(text, to: Bounds.textBytes)
    }
    bluetoothUsage = text(Key.bluetooth)
    defaultAccuracyReduced = values[Key.defaultAccuracyReduced]?.isTrue ?? false
    requiresExplicitServiceSession = Key.explicitSession.contains { values[$0]?.isTrue ?? false }
    hasLocationBackgroundMode =
      values[Key.backgroundModes]?.array.contains(.string("location")) ?? false
    let capabilities =
      values[Key.capabilities]?.dictionary?.filter(\.value.isTrue).keys.sorted()
      ?? values[Key.capabilities]?.array.compactMap(\.string) ?? []
    requiredCapabilities = Array(capabilities.prefix(Bounds.purposes))
    self.file = file
  }

  /// The text of the question for Always, and whether it stands under the older key.
  package var alwaysUsage: (text: String, isOlder: Bool)? {
    if let alwaysAndWhenInUseUsage { return (alwaysAndWhenInUseUsage, false) }
    return olderAlwaysUsage.map { ($0, true) }
  }

  /// The names of the keys.
  package enum Key {
    package static let identifier = "CFBundleIdentifier"
    package static let displayName = "CFBundleDisplayName"
    package static let name = "CFBundleName"
    package static let whenInUse = "NSLocationWhenInUseUsageDescription"
    package static let always = "NSLocationAlwaysAndWhenInUseUsageDescription"
    package static let olderAlways = "NSLocationAlwaysUsageDescription"
    /// macOS asks for all use of location by this one key.
    package static let ofMac = "NSLocationUsageDescription"
    package static let capabilities = "UIRequiredDeviceCapabilities"
    package static let temporary = "NSLocationTemporaryUsageDescriptionDictionary"
    package static let bluetooth = "NSBluetoothAlwaysUsageDescription"
    package static let defaultAccuracyReduced = "NSLocationDefaultAccuracyReduced"
    package static let backgroundModes = "UIBackgroundModes"
    /// One article and the header spell the key differently; both count (SESS-10).
    package static let explicitSession = [
      "NSLocationRequireExplicitServiceSession", "CLRequireExplicitServiceSession",
    ]
  }
}

/// A value of a property list, as far as a manifest needs it.
package indirect enum ManifestValue: Hashable, Sendable {
  case string(String)
  case bool(Bool)
  case integer(Int)
  case array([ManifestValue])
  case dictionary([String: ManifestValue])

  package var string: String? {
    guard case .string(let text) = self else { return nil }
    return text
  }

  /// The elements; none when it is not an array.
  package var array: [ManifestValue] {
    guard case .array(let elements) = self else { return [] }
    return elements
  }

  package var dictionary: [String: ManifestValue]? {
    guard case .dictionary(let entries) = self else { return nil }
    return entries
  }

  /// A true value, also in the older spellings `1` and `"YES"`.
  package var isTrue: Bool {
    switch self {
    case .bool(let value): value
    case .integer(let value): value != 0
    case .string(let text): ["YES", "yes", "true", "1"].contains(text)
    case .array, .dictionary: false
    }
  }
}
