/// Why bytes or a sentence were not taken.
package enum NMEARejection: Int, Error, Hashable, Sendable, CaseIterable {
  /// The two digits after `*` are not the sum of the text.
  case checksumMismatch
  /// No `*` before the line's end, from a receiver that has sent sums before.
  case checksumMissing
  /// Something other than two hexadecimal digits after `*`.
  case checksumMalformed
  /// Another `$` before the end: the sentence was torn.
  case interrupted
  /// A byte that is not text inside a sentence: binary, or the wrong speed.
  case garbled
  /// Longer than any sentence we know of.
  case tooLong
  /// A field that is there and does not mean anything, or lies out of range.
  case malformedField
  /// A position without its time: it belongs to no epoch.
  case noTime
  /// A position said to be there, without a whole coordinate.
  case noPlace
  /// A correct sentence of a kind we do not read. Counted, never put out.
  case unsupported
  /// Part of an epoch whose fix has already been put out. Counted, never put out.
  case late
}
