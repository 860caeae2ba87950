import Synchronization

/// Which device's executor each task belongs to, whatever thread resumes it.
///
/// A task that waits for something real, such as a download, is resumed by a thread that has no
/// reference to the device.
final class TaskOwners: Sendable {
  private struct Owner {
    weak var executor: DeviceExecutor?
  }

  static let shared = TaskOwners()
  private let owners = Mutex<[UInt64: Owner]>([:])
  private let known = Atomic(false)

  /// Whether any device was ever made.
  var isNeeded: Bool {
    get { known.load(ordering: .relaxed) }
    set { known.store(newValue, ordering: .relaxed) }
  }

  func owner(of task: UInt64) -> DeviceExecutor? {
    guard isNeeded else { return nil }
    return owners.withLock { $0[task]?.executor }
  }

  func set(_ executor: DeviceExecutor, for task: UInt64) {
    owners.withLock { $0[task] = Owner(executor: executor) }
  }

  func forgetAll(of tasks: Set<UInt64>) {
    owners.withLock { owners in
      for task in tasks { owners[task] = nil }
    }
  }
}
