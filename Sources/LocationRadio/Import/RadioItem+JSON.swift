package import LocationCoding
internal import LocationModel

extension RadioObservation {
  /// The item of an import that this is: the form on the wire to a daemon.
  package var item: JSON {
    switch self {
    case .scan(let scan, let place, let floor, let accuracy):
      .fields([
        "timestamp": .integer(Int64((scan.time.seconds * 1000).rounded())),
        "position": .fields([
          "latitude": .number(place.latitude), "longitude": .number(place.longitude),
          "accuracy": .number(accuracy),
        ]),
        "floor": floor.map { .integer(Int64($0)) },
        "wifiAccessPoints": .array(scan.readings.compactMap(\.accessPoint)),
        "cellTowers": .array(scan.readings.compactMap(\.cell)),
      ])
    case .placed(let transmitter, let place):
      .fields([
        "placed": RadioScan.Reading(transmitter, level: nil).cell?
          .adding("latitude", .number(place.coordinate.latitude))
          .adding("longitude", .number(place.coordinate.longitude))
          .adding("range", .number(place.range)).adding("day", .integer(Int64(place.day)))
      ])
    case .row(let name, let value, let fingerprint):
      .fields([
        "row": .string(name), "map": .string(String(fingerprint, radix: 16)),
        "value": .string(Base64.text(value)),
      ])
    }
  }
}

extension RadioScan.Reading {
  fileprivate var accessPoint: JSON? {
    guard case .accessPoint(let address) = transmitter else { return nil }
    return .fields([
      "macAddress": .string("\(address)"),
      "signalStrength": level.map { .number($0) }, "age": age > 0 ? .number(age * 1000) : nil,
    ])
  }

  fileprivate var cell: JSON? {
    guard case .cell(let cell) = transmitter else { return nil }
    return .fields([
      "radioType": .string("\(cell.radio)"), "mobileCountryCode": .integer(Int64(cell.country)),
      "mobileNetworkCode": .integer(Int64(cell.network)),
      "locationAreaCode": cell.area.map { .integer(Int64($0)) },
      "cellId": .integer(Int64(cell.cell)), "signalStrength": level.map { .number($0) },
      "age": age > 0 ? .number(age * 1000) : nil, "serving": isServing ? .integer(1) : nil,
    ])
  }
}

/// Bytes as text: base64 of RFC 4648.
package enum Base64 {
  private static let digits = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  package static func text(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count * 4 / 3 + 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      var word = group.reduce(0) { $0 << 8 | UInt32($1) }
      word <<= UInt32(8 * (3 - group.count))
      for place in 0..<4 {
        let digit = digits[Int(word >> UInt32(18 - 6 * place) & 63)]
        text.append(place <= group.count ? digit : UInt8(ascii: "="))
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Returns the bytes; `nil` for text of another form.
  package static func bytes(_ text: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    var (word, count) = (UInt32(0), 0)
    guard text.utf8.count.isMultiple(of: 4) else { return nil }
    let body = text.utf8.prefix { $0 != UInt8(ascii: "=") }
    let padding = text.utf8.dropFirst(body.count)
    guard padding.count <= 2, padding.allSatisfy({ $0 == UInt8(ascii: "=") }) else { return nil }
    for byte in body {
      guard let digit = digits.firstIndex(of: byte) else { return nil }
      (word, count) = (word << 6 | UInt32(digit), count + 1)
      guard count == 4 else { continue }
      bytes += [UInt8(word >> 16 & 255), UInt8(word >> 8 & 255), UInt8(word & 255)]
      (word, count) = (0, 0)
    }
    if count == 2 { bytes.append(UInt8(word >> 4 & 255)) }
    if count == 3 { bytes += [UInt8(word >> 10 & 255), UInt8(word >> 2 & 255)] }
    return count == 1 ? nil : bytes
  }
}
