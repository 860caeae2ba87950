package import LocationCoding
package import LocationModel

/// One item of an import as JSON: an item of Ichnaea's geosubmit, a placed transmitter, or a row that
/// a map has exported.
package enum RadioItem {
  /// Reads an item; parts that may not be used are counted.
  static func observations(
    parsing bytes: [UInt8], at now: UnixTime, _ refusals: inout ImportRefusals
  ) -> [RadioObservation] {
    let json: JSON
    do throws(CodingFault) { json = try JSON(parsing: bytes) } catch {
      refusals.note(.notUnderstood)
      return []
    }
    return observations(in: json, at: now, &refusals)
  }

  /// Reads an item; parts that may not be used are counted.
  package static func observations(
    in json: JSON, at now: UnixTime, _ refusals: inout ImportRefusals
  ) -> [RadioObservation] {
    let found: Result<[RadioObservation], ImportRefusal>
    if json["row"] != nil {
      found = row(json)
    } else if json["placed"] != nil {
      found = placed(json, at: now)
    } else {
      found = geosubmit(json, at: now, &refusals)
    }
    switch found {
    case .success(let observations): return observations
    case .failure(let refusal):
      refusals.note(refusal)
      return []
    }
  }

  // MARK: Geosubmit

  private static func geosubmit(
    _ json: JSON, at now: UnixTime, _ refusals: inout ImportRefusals
  ) -> Result<[RadioObservation], ImportRefusal> {
    // Version 1 has the position in the item itself.
    let position = json["position"] ?? json
    guard
      let place = ImportRule.place(
        number(position["latitude"]), number(position["longitude"]))
    else { return .failure(json["position"] == nil ? .notUnderstood : .noPlace) }
    let accuracy = number(position["accuracy"])
    let isAccurate = ImportRule.isAccurate(accuracy, speed: number(position["speed"]))
    guard isAccurate else { return .failure(.inaccurate) }
    let stamp = number(json["timestamp"]).flatMap {
      abs($0) < 9e12 ? UnixTime(seconds: $0 / 1000) : nil
    }
    guard let time = ImportRule.date(stamp, now: now) else { return .failure(.noDate) }
    var readings: [RadioScan.Reading] = []
    for element in array(json["wifiAccessPoints"]) {
      note(accessPoint(element), in: &readings, &refusals)
    }
    for element in array(json["cellTowers"]) { note(cell(element), in: &readings, &refusals) }
    guard !readings.isEmpty else { return .success([]) }
    let floor = number(json["floor"]).flatMap { Int8(exactly: $0) }
    return .success([
      .scan(
        RadioScan(readings, time: time), at: place, floor: floor,
        accuracy: accuracy ?? RadioMap.usualAccuracy)
    ])
  }

  private static func note(
    _ reading: Result<RadioScan.Reading, ImportRefusal>, in readings: inout [RadioScan.Reading],
    _ refusals: inout ImportRefusals
  ) {
    switch reading {
    case .success(let reading): readings.append(reading)
    case .failure(let refusal): refusals.note(refusal)
    }
  }

  private static func accessPoint(_ json: JSON) -> Result<RadioScan.Reading, ImportRefusal> {
    guard let address = text(json["macAddress"]).flatMap({ BSSID(address: $0) }) else {
      return .failure(.noAddress)
    }
    if let name = text(json["ssid"]), let refusal = NetworkName.refusal(of: name) {
      return .failure(ImportRefusal(refusal))
    }
    let level = number(json["signalStrength"])
    guard ImportRule.isLevel(level) else { return .failure(.level) }
    return .success(
      RadioScan.Reading(.accessPoint(address), level: level, age: age(json)))
  }

  private static func cell(_ json: JSON) -> Result<RadioScan.Reading, ImportRefusal> {
    let cell = ImportRule.cell(
      text(json["radioType"]) ?? "", country: whole(json["mobileCountryCode"]),
      network: whole(json["mobileNetworkCode"]), area: whole(json["locationAreaCode"]),
      cell: number(json["cellId"]).flatMap { UInt64(exactly: $0) })
    guard let cell else { return .failure(.noCell) }
    let level = number(json["signalStrength"])
    guard ImportRule.isLevel(level) else { return .failure(.level) }
    return .success(
      RadioScan.Reading(
        .cell(cell), level: level, age: age(json), isServing: whole(json["serving"]) == 1))
  }

  /// Seconds from milliseconds, in a range in which a scan says something.
  private static func age(_ json: JSON) -> Double {
    min(max((number(json["age"]) ?? 0) / 1000, 0), 60)
  }

  // MARK: Our own forms

  private static func placed(
    _ json: JSON, at now: UnixTime
  ) -> Result<[RadioObservation], ImportRefusal> {
    guard let item = json["placed"] else { return .failure(.notUnderstood) }
    guard let place = ImportRule.place(number(item["latitude"]), number(item["longitude"])) else {
      return .failure(.noPlace)
    }
    // The clock of a computer that has just started may be before the first of these days.
    guard let range = number(item["range"]), range > 0, range <= 1e6, let day = whole(item["day"]),
      day >= 10_000, day <= Int(now.day)
    else { return .failure(.notUnderstood) }
    let known = PlacedStations.Place(place, range: range, day: Int32(day))
    return cell(item).map { [.placed($0.transmitter, known)] }
  }

  private static func row(_ json: JSON) -> Result<[RadioObservation], ImportRefusal> {
    guard let name = text(json["row"]), let value = text(json["value"]).flatMap(Base64.bytes),
      let fingerprint = text(json["map"]).flatMap({ UInt64($0, radix: 16) })
    else { return .failure(.notUnderstood) }
    return .success([.row(name: name, value: value, fingerprint: fingerprint)])
  }

  // MARK: Values

  private static func number(_ json: JSON?) -> Double? {
    guard let json, let number = try? Double(json: json), number.isFinite else { return nil }
    return number
  }

  private static func whole(_ json: JSON?) -> Int? { number(json).flatMap { Int(exactly: $0) } }

  private static func text(_ json: JSON?) -> String? {
    if case .string(let text)? = json { text } else { nil }
  }

  private static func array(_ json: JSON?) -> ArraySlice<JSON> {
    if case .array(let elements)? = json { elements.prefix(Readings.most * 4) } else { [] }
  }
}
