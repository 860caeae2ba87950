import CXCB
import Dispatch
import Glibc

/// The processes that have windows, and the one whose window is active.
package struct WindowState: Hashable, Sendable {
  /// Processes with a window that the window manager manages, seen or minimized.
  package var owners: Set<Int32>
  /// The process of the active window; `nil` while none is active.
  package var active: Int32?

  package init(owners: Set<Int32>, active: Int32?) {
    (self.owners, self.active) = (owners, active)
  }
}

/// Follows the windows of an X server on a queue of its own: a server that hangs delays nobody else.
package actor WindowWatch: QueueActor {
  nonisolated package let executor: HostQueue
  private let display: String
  private var connection: OpaquePointer?
  private var source: (any DispatchSourceRead)?
  private var changed: (@Sendable (WindowState?) -> Void)?
  private var last: WindowState?

  nonisolated package var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  /// Creates a watch of the server of a display, such as `:0`.
  package init(display: String) {
    self.display = display
    executor = HostQueue(label: "meridian.windows")
  }

  /// Calls `changed` on the watch's queue at each change; with `nil` when nothing is known any more.
  nonisolated package func begin(_ changed: @escaping @Sendable (WindowState?) -> Void) {
    queue.async { self.onQueue { $0.open(changed) } }
  }

  /// Ends the watch.
  nonisolated package func end() {
    queue.async { self.onQueue { $0.close() } }
  }

  private func open(_ changed: @escaping @Sendable (WindowState?) -> Void) {
    guard connection == nil, let connection = cxcb_open(display) else { return }
    self.connection = connection
    self.changed = changed
    // The library closes its own at once, a source must not lose it.
    let descriptor = fcntl(cxcb_descriptor(connection), F_DUPFD_CLOEXEC, 0)
    guard descriptor >= 0 else { return close() }
    let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
    source.setEventHandler { [weak self] in self?.onQueue { $0.read() } }
    source.setCancelHandler { Glibc.close(descriptor) }
    source.activate()
    self.source = source
    look()
  }

  private func read() {
    guard let connection else { return }
    switch cxcb_take_events(connection) {
    case 0: break
    case 1: look()
    default: close()
    }
  }

  private func look() {
    guard let connection else { return }
    var processes = [Int32](repeating: 0, count: Self.mostWindows)
    var (active, count): (Int32, Int32)
    // What comes with the replies is read already, and makes no descriptor readable.
    repeat {
      active = 0
      count = cxcb_windows(connection, &active, &processes, Int32(processes.count))
    } while count != -1 && cxcb_take_events(connection) == 1
    guard count != -1 else { return close() }
    let state =
      count < 0
      ? nil
      : WindowState(owners: Set(processes.prefix(Int(count))), active: active > 0 ? active : nil)
    guard state != last else { return }
    last = state
    changed?(state)
  }

  private func close() {
    source?.cancel()
    source = nil
    guard let connection else { return }
    self.connection = nil
    cxcb_close(connection)
    if last != nil { changed?(nil) }
    last = nil
  }

  isolated deinit {
    source?.cancel()
    if let connection { cxcb_close(connection) }
  }

  /// Chosen: more than a person can arrange.
  private static let mostWindows = 1024
}
