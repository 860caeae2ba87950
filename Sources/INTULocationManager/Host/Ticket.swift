import Synchronization

/// The number of a task's request, which is known only after the task can already be canceled.
final class Ticket: Sendable {
  private enum State {
    case blank
    case filled(INTULocationRequestID)
    case torn
  }

  private let state = Mutex(State.blank)

  /// Stores the number; returns whether the task was canceled before.
  func fill(_ id: INTULocationRequestID) -> Bool {
    state.withLock { state in
      if case .torn = state { return true }
      state = .filled(id)
      return false
    }
  }

  /// Marks the task as canceled; returns the number, if it was stored.
  func tear() -> INTULocationRequestID? {
    state.withLock { state in
      defer { state = .torn }
      guard case .filled(let id) = state else { return nil }
      return id
    }
  }
}
