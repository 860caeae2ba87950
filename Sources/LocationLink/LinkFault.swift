/// Why a message of the link is not understood.
package enum LinkFault: Error, Hashable, Sendable {
  /// It is no JSON, at this byte.
  case grammar(offset: Int)
  /// More than ``JSON/maximumDepth`` arrays and objects in each other.
  case tooDeep
  /// A field is not there.
  case missing(String)
  /// A field holds something of another kind, or out of range.
  case mismatch(String)
  /// A word that this version does not know: the peer may be newer.
  case unknownWord(String)
  /// A frame longer than the limit, in bytes.
  case tooLong(limit: Int)
}

extension LinkFault: CustomStringConvertible {
  package var description: String {
    switch self {
    case .grammar(let offset): "no JSON at byte \(offset)"
    case .tooDeep: "arrays and objects nested deeper than \(JSON.maximumDepth)"
    case .missing(let field): "no field `\(field)`"
    case .mismatch(let field): "`\(field)` is of another kind, or out of range"
    // Nothing that a peer has named a place with stands in a log.
    case .unknownWord(let word):
      word.utf8.count <= 32 && word.utf8.allSatisfy { ($0 | 0x20) >= 97 && ($0 | 0x20) <= 122 }
        ? "unknown word `\(word)`" : "unknown word"
    case .tooLong(let limit): "a message longer than \(limit) bytes"
    }
  }
}
