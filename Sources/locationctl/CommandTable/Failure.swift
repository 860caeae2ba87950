/// Why a command ends without having done what it was asked.
enum Failure: Error, Hashable {
  /// What was typed, or a file that was read, is wrong; the next step is a command line.
  case usage(String, next: String)
  /// The world said no, and what a person can do about it, where anything can be done.
  case refused(String, next: String?)

  /// 1 when the world said no, 2 for wrong usage or bad input.
  var status: Int32 {
    switch self {
    case .usage: 2
    case .refused: 1
    }
  }

  /// What standard error says.
  var message: String {
    switch self {
    case .usage(let cause, let next): "locationctl: \(cause)\nTry: \(next)"
    case .refused(let cause, let next):
      "locationctl: \(cause)" + (next.map { "\nNext: \($0)" } ?? "")
    }
  }
}
