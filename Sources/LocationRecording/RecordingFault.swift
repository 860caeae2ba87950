internal import LocationLink

/// Why a recording cannot be read on.
package enum RecordingFault: Error, Hashable, Sendable {
  /// It ends before what it began to say.
  case end
  /// It says what cannot be.
  case damaged
  /// It does not begin as recordings do.
  case noRecording
  /// A program wrote it that has another format.
  case version(Int)
  /// A request, a setting, or a state that is not understood, and why.
  case words(String)

  init(_ fault: LinkFault) {
    self = .words("\(fault)")
  }
}

extension RecordingFault: CustomStringConvertible {
  package var description: String {
    switch self {
    case .end: "it ends in the middle of a step"
    case .damaged: "it is damaged here"
    case .noRecording: "it is no recording: the first line is not `\(Recording.firstLine)`"
    case .version(let version):
      "it has version \(version), and this program reads version \(Recording.version)"
    case .words(let why): "words that are not understood: \(why)"
    }
  }
}
