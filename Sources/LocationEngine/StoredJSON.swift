internal import FoundationEssentials

/// What the store keeps of a value: JSON with its names in order, so that the same value has the
/// same bytes.
enum StoredJSON {
  /// Which numbers may stand in it.
  enum Numbers: Sendable {
    case finite
    /// Infinities and NaN, too, as text: an app may ask for a region of any radius.
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

  /// `nil` when the bytes are no such value.
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
