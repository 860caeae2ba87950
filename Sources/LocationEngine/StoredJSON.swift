internal import FoundationEssentials

/// The stored form of a value: JSON with sorted names, so that equal values have equal bytes.
enum StoredJSON {
  /// The numbers that are permitted.
  enum Numbers: Sendable {
    case finite
    /// Also infinities and NaN, as text: an app may request a region of any radius.
    case any
  }

  static func bytes(_ value: some Encodable, _ numbers: Numbers = .finite) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    if numbers == .any {
      encoder.nonConformingFloatEncodingStrategy = .convertToString(
        positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    }
    guard let data = try? encoder.encode(value) else {
      preconditionFailure("what is stored is made of numbers and text and can always be written")
    }
    return [UInt8](data)
  }

  /// Returns `nil` when the bytes are not such a value.
  static func read<Value: Decodable>(
    _ type: Value.Type, from bytes: [UInt8], _ numbers: Numbers = .finite
  ) -> Value? {
    let decoder = JSONDecoder()
    if numbers == .any {
      decoder.nonConformingFloatDecodingStrategy = .convertFromString(
        positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    }
    return try? decoder.decode(type, from: Data(bytes))
  }
}
