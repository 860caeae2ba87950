import Glibc
import LocationHost
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

  init(descriptor: Int32) {
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

  /// What must happen before a fault of standard output ends the process.
  static let beforeFault = Mutex<@Sendable () -> Void>({})

  /// Writes a text, and waits for a slow reader.
  ///
  /// Ends the process with status 1 where standard output cannot be written, and says why, unless its reader has
  /// gone.
  func write(_ text: String) {
    let fault = Self.fault(writing: Array(text.utf8), to: descriptor)
    guard let fault, descriptor == STDOUT_FILENO else { return }
    if fault.code != EPIPE {
      Output.error.line(Failure.refused("standard output: \(fault.reason)", next: nil).message)
    }
    let action = Self.beforeFault.withLock { action in
      defer { action = {} }
      return action
    }
    action()
    exit(1)
  }

  /// Writes all bytes, and waits for a slow reader; returns why not all of them were written.
  static func fault(writing bytes: [UInt8], to descriptor: Int32) -> Errno? {
    var bytes = bytes[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      guard count <= 0 else {
        bytes = bytes.dropFirst(count)
        continue
      }
      switch count < 0 ? errno : EIO {
      case EINTR: break
      case EAGAIN:
        var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&room, 1, -1)
      case let code: return Errno(code: code, call: "write")
      }
    }
    return nil
  }

  /// Gives descriptors 0 to 2 that were closed to nobody else: what is opened later would take their numbers,
  /// and our output. Reading and writing them fail as before.
  static func keepStandardDescriptors() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
      _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }

  /// How many rows and columns the terminal has; `nil` where there is none, or it does not say.
  var size: (rows: Int, columns: Int)? {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return (Int(size.ws_row), Int(size.ws_col))
  }

  func styled(_ text: String, _ style: Style) -> String {
    isColored ? Self.marked(text, style) : text
  }

  /// A text in a style, whatever is written to.
  static func marked(_ text: String, _ style: Style) -> String {
    "\(mark)\(style.rawValue);\(text)\(mark)0;"
  }

  /// Stands for the beginning of a style until the line is written: no other text has it.
  private static let mark = "style-\(UInt64.random(in: 0 ... .max))-"

  /// Cuts a line to so many letters, with the styles of what is left.
  static func cut(_ line: String, to columns: Int) -> String {
    let line = line.escapedForTerminal
    guard columns > 1, visible(line).count > columns else { return line }
    let parts = line.split(separator: mark, omittingEmptySubsequences: false)
    var (cut, rest) = (String(parts[0].prefix(columns - 1)), columns - 1 - parts[0].count)
    for part in parts.dropFirst() {
      let text = part.drop { $0 != ";" }.dropFirst()
      cut += mark + part.prefix { $0 != ";" } + ";" + text.prefix(max(rest, 0))
      rest -= text.count
    }
    return cut + "…"
  }

  /// The letters of a line that a person sees.
  static func visible(_ line: String) -> String {
    let parts = line.split(separator: mark, omittingEmptySubsequences: false)
    return parts.prefix(1).joined()
      + parts.dropFirst().map { $0.drop { $0 != ";" }.dropFirst() }.joined()
  }

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
        let columns = Output.error.size?.columns ?? 80
        let text = Output.cut(line.text.withLock { $0 }, to: columns - Self.roomOfSeconds)
        Output.error.write("\r\u{1b}[K\(text) … \(seconds) s")
        try? await Task.sleep(for: .seconds(1))
        seconds += 1
      }
    }
  }

  /// Columns of what follows the text, for a day.
  private static let roomOfSeconds = 12

  /// What is being done now; shows from the next second on.
  func say(_ text: String) { line.text.withLock { $0 = text } }

  /// Takes the line away.
  func end() {
    guard let task else { return }
    task.cancel()
    Output.error.write("\r\u{1b}[K")
  }
}
