import CoreLocation
import Foundation
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
  var isNeeded: Bool { known.load(ordering: .relaxed) }

  /// Notes that a device is made: from now on Core Location asks here for the app of a task without one.
  func begin() {
    guard !known.exchange(true, ordering: .relaxed) else { return }
    LocationClient.findApps {
      let app = DeviceExecutor.presentApp
      if app == nil, !self.hasWarned.exchange(true, ordering: .relaxed) {
        FileHandle.standardError.write(Data(Self.warning.utf8))
      }
      return app
    }
  }

  private let hasWarned = Atomic(false)
  private static let warning = """
    LocationTesting: Core Location is used by code that no simulated app runs, and gives it the location of this \
    computer. Begin it within SimulatedApp.run or perform: not in init or setUp of a test, nor on a queue.

    """

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
