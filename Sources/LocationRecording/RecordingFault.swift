internal import LocationCoding

/// Why the rest of a recording cannot be read.
package enum RecordingFault: Error, Hashable, Sendable {
  /// It ends within an item.
  case end
  /// It holds an impossible value.
  case damaged
  /// It does not begin with the first line of a recording.
  case noRecording
  /// It is encrypted, with a key that is not here.
  case noKey
  /// It was written in this version of the format, which cannot be read.
  case version(Int)
  /// It holds a request, a setting, or a state that cannot be read, for this reason.
  case words(String)

  init(_ fault: CodingFault) {
    self = .words("\(fault)")
  }
}

extension RecordingFault: CustomStringConvertible {
  package var description: String {
    switch self {
    case .end: "it ends in the middle of a step"
    case .damaged: "it is damaged here"
    case .noRecording: "it is no recording: the first line is not `\(Recording.firstLine)`"
    case .noKey: "it is encrypted with a key that is not here"
    case .version(let version):
      "it has version \(version), and this program reads version \(Recording.version)"
    case .words(let why): "words that are not understood: \(why)"
    }
  }
}
