import Synchronization

/// The service and its socket while setup has stopped them: whatever ends setup starts them again, once.
final class SetupPause: Sendable {
  private let service: SetupService
  /// What was stopped and does not run again yet. Whoever has the lock is not interrupted, and must not write to
  /// standard output, whose fault ends the pause.
  private let stopped = Mutex<[String]>([])

  init(_ service: SetupService) {
    self.service = service
  }

  /// Stops what runs.
  func begin() {
    stopped.withLock { $0 = service.stop() }
  }

  /// Starts again what was stopped, if nothing has done so before.
  func end() {
    stopped.withLock { units in
      if !service.resume(units) { Output.error.line(Self.failed(units)) }
      units = []
    }
  }

  /// Enables and starts the service with what was written, in place of what was stopped.
  func start() throws(Failure) {
    try stopped.withLock { units throws(Failure) in
      try service.start()
      units = []
    }
  }

  /// Does something that a signal does not interrupt.
  ///
  /// - Returns: what it has returned.
  func uninterrupted<Value: Sendable, Fault: Error>(
    _ action: () throws(Fault) -> Value
  ) throws(Fault) -> Value {
    try stopped.withLock { _ throws(Fault) in try action() }
  }

  /// Starts again what was stopped, since a signal ends setup.
  ///
  /// - Parameter finish: ends the process, with what is to be said before; until it returns setup does not go on.
  func interrupt(_ finish: (String) -> Void) {
    stopped.withLock { units in
      let words = units.joined(separator: " ")
      let isBack = service.resume(units)
      let outcome =
        units.isEmpty ? "" : "; " + (isBack ? "started again: \(words)" : Self.failed(units))
      units = []
      finish("locationctl: setup was interrupted\(outcome)")
    }
  }

  private static func failed(_ units: [String]) -> String {
    "\(units.joined(separator: " ")) did not start again. Next: journalctl -u locationd"
  }
}
