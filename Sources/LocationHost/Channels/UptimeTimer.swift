import CLinux
package import Dispatch
import Glibc
package import LocationModel

/// Wakes the host at a moment of uptime; after a suspension, as soon as the machine resumes.
///
/// A timer of libdispatch counts only the time that the machine was awake, and would fire late by
/// the time that it slept.
package struct UptimeTimer {
  private let descriptor: Int32
  private let source: any DispatchSourceRead

  /// Creates an unarmed timer; `fire` is called on the queue.
  package init(on queue: DispatchQueue, _ fire: @escaping @Sendable () -> Void) {
    let descriptor = linux_open_uptime_timer()
    if descriptor < 0 { fatalError("no descriptor is left for a timer") }
    self.descriptor = descriptor
    source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
    source.setEventHandler {
      var count: UInt64 = 0
      guard read(descriptor, &count, MemoryLayout<UInt64>.size) > 0 else { return }
      fire()
    }
    source.setCancelHandler { close(descriptor) }
    source.activate()
  }

  /// Fires once at this moment, or at once if it has passed; replaces the moment set before.
  package func arm(at instant: Instant) {
    linux_arm_uptime_timer(descriptor, max(1, instant.nanoseconds))
  }

  package func end() { source.cancel() }
}
