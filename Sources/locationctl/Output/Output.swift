import Glibc
import LocationModel
import Synchronization

/// Standard output or standard error: whole lines at once, colored only for a person's eyes.
struct Output: Sendable {
  static let standard = Output(descriptor: STDOUT_FILENO)
  static let error = Output(descriptor: STDERR_FILENO)

  /// Reports that wait to be printed while the reader of the output is slow; further ones remove the
  /// oldest. Chosen: a quarter of an hour of a receiver, and half a megabyte.
  static let unreadReports = 1000

  enum Style: String, Sendable {
    case dim = "2"
    case bad = "31"
    case good = "32"
    case doubtful = "33"
  }

  private let descriptor: Int32
  let isTerminal: Bool
  private let isColored: Bool

  private init(descriptor: Int32) {
    self.descriptor = descriptor
    isTerminal = isatty(descriptor) == 1
    isColored = Self.isColored(
      isTerminal: isTerminal, noColor: getenv("NO_COLOR").map { String(cString: $0) },
      terminal: getenv("TERM").map { String(cString: $0) })
  }

  /// `NO_COLOR` counts when it is not empty, whatever its value.
  static func isColored(isTerminal: Bool, noColor: String?, terminal: String?) -> Bool {
    isTerminal && (noColor ?? "").isEmpty && terminal != "dumb"
  }

  /// A text of our own and the end of its line; control characters of others in it stand escaped.
  func line(_ text: String) {
    write(Self.withStyles(text.escapedForTerminal) + "\n")
  }

  func write(_ text: String) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else { return }
      bytes = bytes.dropFirst(count)
    }
  }

  func styled(_ text: String, _ style: Style) -> String {
    isColored ? "\(Self.mark)\(style.rawValue);\(text)\(Self.mark)0;" : text
  }

  /// Stands for the beginning of a style until the line is written: no other text has it.
  private static let mark = "style-\(UInt64.random(in: 0 ... .max))-"

  private static func withStyles(_ text: String) -> String {
    let parts = text.split(separator: mark, omittingEmptySubsequences: false)
    return parts.prefix(1).joined()
      + parts.dropFirst().map { part in
        "\u{1b}[" + part.replacing(";", with: "m", maxReplacements: 1)
      }.joined()
  }
}

/// Shows a person at a terminal that work is in progress, and for how long.
///
/// Writes to standard error, and nothing at all where that is no terminal.
struct Progress {
  private let task: Task<Void, Never>?
  private let line: Line

  private final class Line: Sendable {
    let text: Mutex<String>

    init(_ text: String) { self.text = Mutex(text) }
  }

  init(_ text: String, isShown: Bool = Output.error.isTerminal) {
    let line = Line(text)
    self.line = line
    guard isShown else {
      task = nil
      return
    }
    task = Task {
      var seconds = 0
      while !Task.isCancelled {
        let text = line.text.withLock { $0 }
        Output.error.write("\r\u{1b}[K\(text) … \(seconds) s")
        try? await Task.sleep(for: .seconds(1))
        seconds += 1
      }
    }
  }

  /// What is being done now; shows from the next second on.
  func say(_ text: String) { line.text.withLock { $0 = text } }

  /// Takes the line away.
  func end() {
    guard let task else { return }
    task.cancel()
    Output.error.write("\r\u{1b}[K")
  }
}
