/// Why bytes or a sentence were rejected.
package enum NMEARejection: Int, Error, Hashable, Sendable, CaseIterable {
  /// The two digits after `*` are not the checksum of the text.
  case checksumMismatch
  /// No `*` before the line's end, from a receiver that has sent checksums before.
  case checksumMissing
  /// Something other than two hexadecimal digits after `*`.
  case checksumMalformed
  /// Another `$` before the end: the sentence is incomplete.
  case interrupted
  /// A byte within a sentence that is not text: binary data, or the wrong speed.
  case garbled
  /// Longer than any known sentence.
  case tooLong
  /// A field that is present but malformed or out of range.
  case malformedField
  /// A position without its time: it cannot be assigned to an epoch.
  case noTime
  /// A position with a valid status, but without a complete coordinate.
  case noPlace
  /// A correct sentence of a kind that is not read. It is counted, and never emitted.
  case unsupported
  /// Part of an epoch whose fix was already emitted. It is counted, and never emitted.
  case late
}
