package import LocationModel

extension ClientDescription: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    var manifest = Manifest(file: try json.get("file"))
    manifest.identifier = try json.find("identifier")
    manifest.displayName = try json.find("displayName")
    manifest.whenInUseUsage = try json.find("whenInUse")
    manifest.alwaysAndWhenInUseUsage = try json.find("always")
    manifest.olderAlwaysUsage = try json.find("olderAlways")
    for purpose in try json.find("temporary", [StateEntry].self) ?? [] {
      manifest.temporaryUsage[purpose.key.name] = String(decoding: purpose.value, as: UTF8.self)
    }
    manifest.bluetoothUsage = try json.find("bluetooth")
    manifest.defaultAccuracyReduced = try json.get("reduced")
    manifest.requiresExplicitServiceSession = try json.get("explicitSession")
    manifest.hasLocationBackgroundMode = try json.get("background")
    self.init(
      app: AppIdentity(try json.get("app")), manifest: manifest, life: try json.get("life"))
    isNew = try json.find("new") ?? false
    process = try json.find("process")
    program = try json.find("program")
  }

  package var json: JSON {
    let purposes = manifest.temporaryUsage.sorted { $0.key < $1.key }.map {
      StateEntry(
        key: StateKey(domain: "", owner: "", name: $0.key), value: [UInt8]($0.value.utf8))
    }
    return .fields([
      "app": app.name.json, "life": life.json, "process": process?.json,
      "program": program?.json,
      "file": manifest.file.json, "new": isNew ? true.json : nil,
      "identifier": manifest.identifier?.json, "displayName": manifest.displayName?.json,
      "whenInUse": manifest.whenInUseUsage?.json, "always": manifest.alwaysAndWhenInUseUsage?.json,
      "olderAlways": manifest.olderAlwaysUsage?.json, "temporary": purposes.json,
      "bluetooth": manifest.bluetoothUsage?.json, "reduced": manifest.defaultAccuracyReduced.json,
      "explicitSession": manifest.requiresExplicitServiceSession.json,
      "background": manifest.hasLocationBackgroundMode.json,
    ])
  }
}

extension AuthorizationSetting: JSONCodable {}
