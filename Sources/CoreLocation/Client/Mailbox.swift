import LocationModel
import Synchronization

/// A queue of elements for one reader, in order: the newest thousand of them.
///
/// Both readers need only the current state, and a monitor has one event in flight at a time.
final class Mailbox<Element: Sendable>: Sendable {
  private enum Reader {
    case none
    case waiting(UnsafeContinuation<Element?, Never>)
  }

  private struct State {
    var unread: [Element] = []
    var reader = Reader.none
    var isFinished = false
  }

  private let state = Mutex(State())
  private static var bound: Int { Bounds.waiting }

  /// Adds an element, and resumes the reader.
  func add(_ element: Element) {
    let reader: UnsafeContinuation<Element?, Never>? = state.withLock { state in
      guard case .waiting(let reader) = state.reader else {
        if !state.isFinished { state.unread.append(element) }
        if state.unread.count > Self.bound { state.unread.removeFirst() }
        return nil
      }
      state.reader = .none
      return reader
    }
    reader?.resume(returning: element)
  }

  /// Ends the queue: the reader receives the remaining elements, then `nil`.
  func finish() {
    let reader: UnsafeContinuation<Element?, Never>? = state.withLock { state in
      state.isFinished = true
      guard case .waiting(let reader) = state.reader else { return nil }
      state.reader = .none
      return reader
    }
    reader?.resume(returning: nil)
  }

  /// Returns the next element; `nil` at the end, and when the task is canceled.
  func next() async -> Element? {
    await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        let ready: Element?? = state.withLock { state in
          if !state.unread.isEmpty { return .some(state.unread.removeFirst()) }
          if state.isFinished || Task.isCancelled { return .some(nil) }
          state.reader = .waiting(continuation)
          return nil
        }
        if let ready { continuation.resume(returning: ready) }
      }
    } onCancel: {
      let reader: UnsafeContinuation<Element?, Never>? = state.withLock { state in
        guard case .waiting(let reader) = state.reader else { return nil }
        state.reader = .none
        return reader
      }
      reader?.resume(returning: nil)
    }
  }
}
