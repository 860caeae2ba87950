import Dispatch
import Glibc

/// The signals that end a program, handled in place of dying by them.
struct EndSignals {
  private static let numbers = [SIGINT, SIGTERM, SIGHUP]

  private let arrived = DispatchSemaphore(value: 0)
  private let sources: [any DispatchSourceSignal]

  /// Begins to handle them.
  ///
  /// - Parameter handle: called for each that arrives.
  init(_ handle: @escaping @Sendable () -> Void = {}) {
    let arrived = arrived
    sources = Self.numbers.map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        handle()
        arrived.signal()
      }
      source.resume()
      return source
    }
  }

  /// Waits for the first.
  func wait() {
    arrived.wait()
    for source in sources { source.cancel() }
  }

  /// Has them end the program again.
  func end() {
    for source in sources { source.cancel() }
    for number in Self.numbers { signal(number, SIG_DFL) }
  }
}
