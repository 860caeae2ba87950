import Foundation

/// What the app reports to the test, one line each: its key, its process, and some words.
enum Lines {
  /// The app, in the words of the test.
  static let key = argument(1)
  private static let descriptor = open(argument(2), O_WRONLY | O_CLOEXEC)

  static func argument(_ index: Int) -> String {
    CommandLine.arguments.dropFirst(index).first ?? ""
  }

  /// Lines of several apps are not mixed: each is one short write to a pipe.
  static func write(_ line: String) {
    let bytes = Array("\(line)\n".utf8)
    _ = Foundation.write(descriptor, bytes, bytes.count)
  }
}

func say(_ words: String) { Lines.write("\(Lines.key) \(getpid()) \(words)") }
