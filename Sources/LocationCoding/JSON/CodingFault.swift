package import LocationModel

/// Why bytes cannot be read as a value.
package enum CodingFault: Error, Hashable, Sendable {
  /// It is no valid JSON at this byte.
  case grammar(offset: Int)
  /// More than ``JSON/maximumDepth`` nested arrays and objects.
  case tooDeep
  /// A field is missing.
  case missing(String)
  /// A field has another type, or is out of range.
  case mismatch(String)
  /// A name that this version does not know: the peer may be newer.
  case unknownWord(String)
  /// The rings of a polygon bound no area.
  case polygon(Polygon.Fault)
  /// A frame exceeds the limit, in bytes.
  case tooLong(limit: Int)
}

extension CodingFault: CustomStringConvertible {
  package var description: String {
    switch self {
    case .grammar(let offset): "no JSON at byte \(offset)"
    case .tooDeep: "arrays and objects nested deeper than \(JSON.maximumDepth)"
    case .missing(let field): "no field `\(field)`"
    case .mismatch(let field): "`\(field)` is of another kind, or out of range"
    // A log must not contain a peer's names of places.
    case .unknownWord(let word):
      word.utf8.count <= 32 && word.utf8.allSatisfy { ($0 | 0x20) >= 97 && ($0 | 0x20) <= 122 }
        ? "unknown word `\(word)`" : "unknown word"
    case .polygon(let fault): "the rings are those of no polygon: \(fault)"
    case .tooLong(let limit): "a message longer than \(limit) bytes"
    }
  }
}
