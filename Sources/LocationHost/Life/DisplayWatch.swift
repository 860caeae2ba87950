import CXCB
import Dispatch
import Glibc
import LocationProviders

/// Follows the windows of an X server on a queue of its own: a server that hangs delays nobody else.
actor DisplayWatch: QueueActor {
  nonisolated let executor: HostQueue
  private let display: String
  private var connection: OpaquePointer?
  private var source: (any DispatchSourceRead)?
  private var report: (@Sendable (WindowReport) -> Void)?
  private var last: WindowState?
  /// Whether a window manager has listed windows, or its absence is reported.
  private var isManaged: Bool?

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  /// Creates a watch of the server of a display, such as `:0`.
  init(display: String) {
    self.display = display
    executor = HostQueue(label: "meridian.display")
  }

  /// Calls `report` at each change; with no windows when nothing is known any more.
  nonisolated func begin(_ report: @escaping @Sendable (WindowReport) -> Void) {
    enter { $0.open(report) }
  }

  /// Ends the watch.
  nonisolated func end() {
    enter { $0.close() }
  }

  private func open(_ report: @escaping @Sendable (WindowReport) -> Void) {
    guard connection == nil else { return }
    self.report = report
    guard let connection = timed({ cxcb_open(display) }) else {
      return report(.obstacle("the X server of \(display) cannot be asked for windows"))
    }
    self.connection = connection
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
    var processes = [Int32](repeating: 0, count: WindowBounds.windows)
    var (active, count): (Int32, Int32)
    // What comes with the replies is read already, and makes no descriptor readable.
    repeat {
      active = 0
      count = timed { cxcb_windows(connection, &active, &processes, Int32(processes.count)) }
    } while count != -1 && cxcb_take_events(connection) == 1
    guard count != -1 else { return close() }
    if isManaged != (count >= 0) {
      isManaged = count >= 0
      if count < 0 { report?(.obstacle("no window manager of \(display) lists windows")) }
    }
    let state =
      count < 0
      ? nil
      : WindowState(
        owners: Set(processes.prefix(Int(count)).map { .process($0) }),
        active: active > 0 ? [.process(active)] : [])
    guard state != last else { return }
    last = state
    report?(.windows(.x11, state))
  }

  /// Runs a call that waits for the server, and reports one that does not answer in time.
  private func timed<Result>(_ body: () -> Result) -> Result {
    let timer = DispatchSource.makeTimerSource(queue: .global())
    timer.schedule(deadline: .now() + Self.answer)
    timer.setEventHandler { [report, display] in
      report?(.obstacle("the X server of \(display) does not answer"))
    }
    timer.activate()
    defer { timer.cancel() }
    return body()
  }

  private func close() {
    source?.cancel()
    source = nil
    guard let connection else { return }
    self.connection = nil
    cxcb_close(connection)
    report?(.obstacle("the X server of \(display) has gone"))
    if last != nil { report?(.windows(.x11, nil)) }
    last = nil
  }

  isolated deinit {
    source?.cancel()
    if let connection { cxcb_close(connection) }
  }

  /// Chosen: after how long a server that does not answer is reported.
  private static let answer = DispatchTimeInterval.seconds(5)
}
