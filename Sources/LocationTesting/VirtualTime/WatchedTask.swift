import CVirtualTime
import Foundation

/// A task of the runtime, retained so that it can be inspected between two of its jobs.
struct WatchedTask: Sendable {
  /// Why a task is not queued on the device's executor.
  enum Wait {
    case ended
    /// It runs on another executor, or is queued there.
    case elsewhere
    /// Its continuation has to be resumed.
    case continuation
    case otherTask
  }

  let number: UInt64
  private let address: UInt

  /// Returns `nil` for a job that belongs to no task, or where the runtime's layout is unknown.
  init?(holding job: UnownedJob) {
    let job = unsafeBitCast(job, to: UnsafeMutableRawPointer.self)
    self.init(virtual_time_hold_task(job), number: virtual_time_task_of_job(job))
  }

  /// The task that runs here; `nil` outside tasks, or where the runtime's layout is unknown.
  static func holdingCurrent() -> Self? {
    Self(virtual_time_hold_current_task(), number: virtual_time_current_task())
  }

  private init?(_ address: UInt, number: UInt64) {
    guard address != 0 else { return nil }
    (self.address, self.number) = (address, number)
  }

  /// Waits until it has suspended; another thread may run it.
  func awaitSuspension() { virtual_time_await_suspension(address) }

  func letGo() { virtual_time_let_go_of_task(address) }

  var wait: Wait {
    switch virtual_time_wait_of_task(address) {
    case VIRTUAL_TIME_DONE: .ended
    case VIRTUAL_TIME_CONTINUATION: .continuation
    case VIRTUAL_TIME_TASK: .otherTask
    default: .elsewhere
    }
  }

  /// The innermost eight functions where the task will resume, innermost first.
  var functions: [UInt] { functions(atMost: 8) }

  /// Returns the functions where the task will resume, innermost first.
  func functions(atMost most: Int) -> [UInt] {
    var functions = [UInt](repeating: 0, count: most)
    let count = virtual_time_functions_of_task(address, &functions, Int32(most))
    return Array(functions.prefix(Int(count)))
  }

  /// What the task waits for, and where in the code.
  var story: String {
    let what =
      switch wait {
      case .ended: "it has ended"
      case .elsewhere: "it runs on an executor of its own"
      case .continuation: "it awaits a continuation"
      case .otherTask: "it awaits another task"
      }
    return Self.place(functions).map { "\(what), in \($0)" } ?? what
  }

  // MARK: Names

  /// Returns the first function that belongs neither to the library nor to the runtime; `nil` where
  /// none has a name.
  static func place(_ functions: [UInt]) -> String? {
    functions.lazy.compactMap { name(of: $0) }.first { !isOurs($0) }
  }

  /// Returns the demangled name of a function.
  private static func name(of function: UInt) -> String? {
    var symbol = [CChar](repeating: 0, count: 4096)
    guard virtual_time_symbol(function, &symbol, 4096) != 0, let demangled = demangled(symbol)
    else { return nil }
    // "(1) await resume partial function for closure #1 … in f()" is about f().
    let parts = demangled.split(separator: " partial function for ", maxSplits: 1)
    return parts.last.map(String.init)
  }

  private static func demangled(_ symbol: [CChar]) -> String? {
    guard let text = virtual_time_demangled(symbol) else { return nil }
    defer { free(text) }
    return String(cString: text)
  }

  /// Returns whether a function belongs to the library or the runtime.
  private static func isOurs(_ name: String) -> Bool {
    let thunks = [
      "generic specialization", "reabstraction thunk", "partial apply", "protocol witness",
      "dispatch thunk",
    ]
    let isSpecial = thunks.contains { name.hasPrefix($0) }
    // A private name is "(name in _HASH)"; a closure is "closure #1 in its owner".
    let owner = name.replacing(/\ in _[0-9A-F]+\)/, with: ")").split(separator: " in ").last ?? ""
    return isSpecial || !name.contains(".") || name.contains("(extension in Swift):")
      || ["Swift.", "CoreLocation.", "LocationTesting."].contains {
        owner.hasPrefix($0) || owner.hasPrefix("static " + $0)
      }
  }
}
