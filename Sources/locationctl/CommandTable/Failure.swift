/// Why a command has failed.
enum Failure: Error, Hashable {
  /// What was typed, or a file that was read, is wrong; the next step is a command line.
  case usage(String, next: String)
  /// The command could not be carried out; with the next step, if there is one.
  case refused(String, next: String?)

  /// 1 when the command could not be carried out, 2 for wrong usage or bad input.
  var status: Int32 {
    switch self {
    case .usage: 2
    case .refused: 1
    }
  }

  var cause: String {
    switch self {
    case .usage(let cause, _), .refused(let cause, _): cause
    }
  }

  var next: String? {
    switch self {
    case .usage(_, let next): next
    case .refused(_, let next): next
    }
  }

  /// The text on standard error.
  var message: String {
    switch self {
    case .usage(let cause, let next): "locationctl: \(cause)\nTry: \(next)"
    case .refused(let cause, let next):
      "locationctl: \(cause)" + (next.map { "\nNext: \($0)" } ?? "")
    }
  }
}
