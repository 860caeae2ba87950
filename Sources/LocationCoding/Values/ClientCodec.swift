package import LocationModel

extension ClientDescription: JSONStructure {
  package static let fields = JSONFields(
    ClientDescription(app: .blank, manifest: Manifest()),
    .get("app", \.app), .get("life", \.life), .find("process", \.process),
    .find("program", \.program), .get("file", \.manifest.file), .flag("new", \.isNew),
    .find("identifier", \.manifest.identifier), .find("displayName", \.manifest.displayName),
    .find("whenInUse", \.manifest.whenInUseUsage),
    .find("always", \.manifest.alwaysAndWhenInUseUsage),
    .find("olderAlways", \.manifest.olderAlwaysUsage), .find("temporary", \.manifest.purposes),
    .find("bluetooth", \.manifest.bluetoothUsage),
    .get("reduced", \.manifest.defaultAccuracyReduced),
    .get("explicitSession", \.manifest.requiresExplicitServiceSession),
    .get("background", \.manifest.hasLocationBackgroundMode))
}

extension Manifest {
  /// The reasons for temporary full accuracy, in the order of their keys.
  fileprivate var purposes: [StateEntry] {
    get {
      temporaryUsage.sorted { $0.key < $1.key }.map {
        StateEntry(
          key: StateKey(domain: "", owner: "", name: $0.key), value: [UInt8]($0.value.utf8))
      }
    }
    set {
      for purpose in newValue {
        temporaryUsage[purpose.key.name] = String(decoding: purpose.value, as: UTF8.self)
      }
    }
  }
}

extension AuthorizationSetting: JSONCodable {}
