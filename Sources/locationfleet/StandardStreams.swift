import CIngress
import Glibc

/// What a command prints on standard output: there is no buffer, so that a fault shows where it happens.
///
/// - Chosen (FLEET-134): a command whose output did not arrive ends with 1 and the cause.
enum Printout {
  static func line(_ text: String) throws(FleetFault) { try write(Array("\(text)\n".utf8)) }

  static func write(_ bytes: [UInt8]) throws(FleetFault) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        throw FleetFault(reason: "standard output: \(String(cString: strerror(errno)))", status: 1)
      }
      rest = rest.dropFirst(count)
    }
  }
}

/// The lines of standard input, as bytes: what is no UTF-8 is not mended.
struct StandardInput {
  private let longest: Int
  private var chunk = [UInt8](repeating: 0, count: 1 << 18)
  private var (position, end) = (0, 0)
  private var hasEnded = false
  /// By which signals come that end the reading; -1 for none.
  private let signals: Int32
  /// How many lines have been read.
  private(set) var lines = 0
  /// The signal that has ended the reading.
  private(set) var signal: Int32?

  /// Of a longer line one byte more than `longest` is kept. `signals` is a descriptor of `cin_signals`.
  init(longest: Int, signals: Int32 = -1) { (self.longest, self.signals) = (longest, signals) }

  /// Returns the next line without its end; `nil` at the end, and when a signal has come.
  mutating func next() throws(FleetFault) -> [UInt8]? {
    var line: [UInt8] = []
    var hasBegun = false
    while try fill() {
      hasBegun = true
      let rest = chunk[position..<end]
      let stop = rest.firstIndex(of: UInt8(ascii: "\n"))
      line += rest[..<(stop ?? end)].prefix(max(longest + 1 - line.count, 0))
      position = stop.map { $0 + 1 } ?? end
      if stop != nil { break }
    }
    // Half a line is none, unless the input has ended behind it.
    guard hasBegun, signal == nil else { return nil }
    lines += 1
    return line
  }

  private mutating func fill() throws(FleetFault) -> Bool {
    guard position == end else { return true }
    guard !hasEnded else { return false }
    while true {
      guard awaitBytes() else { return false }
      let count = chunk.withUnsafeMutableBytes { read(STDIN_FILENO, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      guard count >= 0 else {
        throw FleetFault(reason: "standard input: \(String(cString: strerror(errno)))", status: 1)
      }
      (position, end) = (0, count)
      hasEnded = count == 0
      return !hasEnded
    }
  }

  /// Returns whether there is something to read, be it the end; `false` when a signal has come.
  private mutating func awaitBytes() -> Bool {
    // A place without a descriptor is passed over.
    var places = [
      pollfd(fd: signals, events: Int16(POLLIN), revents: 0),
      pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
    ]
    while poll(&places, 2, -1) < 0, errno == EINTR {}
    guard places[0].revents != 0 else { return true }
    (signal, hasEnded) = (cin_next_signal(signals), true)
    return false
  }
}
