import Dispatch
import Glibc

/// The signals that end a program, handled in place of dying by them. One that was ignored at the start, as under
/// nohup, stays ignored.
struct EndSignals {
  private let numbers: [Int32]
  private let arrived = DispatchSemaphore(value: 0)
  private let sources: [any DispatchSourceSignal]

  /// Begins to handle them.
  ///
  /// - Parameter handle: called with each that arrives.
  init(_ handle: @escaping @Sendable (Int32) -> Void = { _ in }) {
    let arrived = arrived
    let ignored = Self.ignored
    numbers = [SIGINT, SIGTERM, SIGHUP].filter { ignored >> (UInt64($0) - 1) & 1 == 0 }
    sources = numbers.map { number in
      Self.source(of: number) {
        handle(number)
        arrived.signal()
      }
    }
  }

  /// Has a signal call a function in place of what it would do.
  static func source(
    of number: Int32, _ arrived: @escaping @Sendable () -> Void
  ) -> any DispatchSourceSignal {
    signal(number, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
    source.setEventHandler { arrived() }
    source.resume()
    return source
  }

  /// The signals that this process ignores: the first in the lowest bit (proc(5)).
  private static var ignored: UInt64 {
    let status = (try? InputFile.bytes(of: "/proc/self/status")) ?? []
    let name = "SigIgn:\t"
    let line = String(decoding: status, as: UTF8.self).split(separator: "\n")
      .first { $0.hasPrefix(name) }
    return line.flatMap { UInt64($0.dropFirst(name.count), radix: 16) } ?? 0
  }

  /// Waits for the first.
  func wait() {
    arrived.wait()
    for source in sources { source.cancel() }
  }

  /// Has them end the program again.
  func end() {
    for source in sources { source.cancel() }
    for number in numbers { signal(number, SIG_DFL) }
  }
}
