import Synchronization

/// The number of a task's request, known a little after the task can be canceled.
final class Ticket: Sendable {
  private enum State {
    case blank
    case filled(INTULocationRequestID)
    case torn
  }

  private let state = Mutex(State.blank)

  /// Writes the number; returns whether the ticket was torn before.
  func fill(_ id: INTULocationRequestID) -> Bool {
    state.withLock { state in
      if case .torn = state { return true }
      state = .filled(id)
      return false
    }
  }

  /// Tears the ticket; returns the number, if it was written.
  func tear() -> INTULocationRequestID? {
    state.withLock { state in
      defer { state = .torn }
      guard case .filled(let id) = state else { return nil }
      return id
    }
  }
}
