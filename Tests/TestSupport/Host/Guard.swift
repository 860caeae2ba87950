/// What a test waited for did not happen.
package struct NotInTime: Error {
  package var seconds: Double
}

/// What a test waited for cannot come any more: whatever it comes from, such as a program, has ended.
package struct HasEnded: Error {
  /// What came last, and was not what the test waited for.
  package var last: [String]
}

/// Waits for something that happens by itself; the time is a guard against waiting for ever, much
/// longer than any loaded machine needs.
package func within<Value: Sendable>(
  seconds: Double = 60, _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
  try await withThrowingTaskGroup(of: Value.self) { group in
    group.addTask { try await body() }
    group.addTask {
      try await Task.sleep(for: .seconds(seconds))
      throw NotInTime(seconds: seconds)
    }
    defer { group.cancelAll() }
    guard let first = try await group.next() else { throw NotInTime(seconds: seconds) }
    return first
  }
}

/// What happens, in order, for one test to wait for.
package final class Events<Element: Sendable>: Sendable {
  private let stream: AsyncStream<Element>
  private let continuation: AsyncStream<Element>.Continuation

  package init() {
    (stream, continuation) = AsyncStream.makeStream(of: Element.self)
  }

  package func add(_ element: Element) {
    continuation.yield(element)
  }

  package func finish() {
    continuation.finish()
  }

  /// The next element that `choose` makes something of; those before it are gone.
  package func next<Value: Sendable>(
    seconds: Double = 60, _ choose: @escaping @Sendable (Element) -> Value?
  ) async throws -> Value {
    try await within(seconds: seconds) { [stream] in
      var last: [String] = []
      for await element in stream {
        if let value = choose(element) { return value }
        last = last.suffix(9) + ["\(element)"]
      }
      throw HasEnded(last: last)
    }
  }

  package func next(
    seconds: Double = 60, where matches: @escaping @Sendable (Element) -> Bool = { _ in true }
  ) async throws -> Element {
    try await next(seconds: seconds) { matches($0) ? $0 : nil }
  }
}
