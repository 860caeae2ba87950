import Dispatch
import Glibc
import LocationModel
import LocationProviders

/// Follows the windows that a session shows, on a queue of its own, by the first way that is of use.
actor SessionWatch: QueueActor {
  /// A way to the windows.
  enum Way: Hashable, Sendable {
    /// The control socket of sway at a path.
    case sway(String)
    /// The compositor's socket at a path.
    case wayland(String)
    /// The bus at an address, with the words that name the desktop.
    case bus(String, desktop: String)

    var source: WindowSource {
      switch self {
      case .sway: .sway
      case .wayland: .wayland
      case .bus: .bus
      }
    }
  }

  nonisolated let executor = HostQueue(label: "meridian.windows")
  nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }
  private let ways: [Way]
  private let programs: DesktopPrograms
  /// The index of the way that is in use; what comes from an earlier one is ignored.
  private var current = -1
  private var machine: (any Machine<WindowInput, WindowOutput>)?
  private var channel: DescriptorChannel?
  private var bus: BusConnection?
  private var timer: UptimeTimer?
  private var report: (@Sendable (WindowReport) -> Void)?
  private var isShown = false

  init(_ ways: [Way], programs: DesktopPrograms) {
    (self.ways, self.programs) = (ways, programs)
  }

  /// Calls `report` at each change.
  nonisolated func begin(_ report: @escaping @Sendable (WindowReport) -> Void) {
    enter { watch in
      guard watch.report == nil else { return }
      watch.report = report
      watch.timer = UptimeTimer(on: watch.queue) { [weak watch] in
        watch?.onQueue { $0.step(.wake) }
      }
      watch.goOn()
    }
  }

  /// Ends the watch.
  nonisolated func end() { enter { $0.finish() } }

  private func finish() {
    current = ways.count
    close()
    timer?.end()
    timer = nil
  }

  // MARK: Ways

  /// Tries the next way, if there is one.
  private func goOn() {
    close()
    current = min(current + 1, ways.count)
    guard current < ways.count else { return }
    do throws(Errno) {
      switch ways[current] {
      case .sway(let path): try connect(to: path, SwayWindows())
      case .wayland(let path): try connect(to: path, WaylandWindows())
      case .bus(let address, let desktop):
        machine = SessionBusWindows(desktop: desktop)
        try enterBus(address)
      }
    } catch { fail("\(error)") }
  }

  private func close() {
    channel?.end()
    channel = nil
    bus?.end()
    bus = nil
    machine = nil
    if isShown, ways.indices.contains(current) {
      report?(.windows(ways[current].source, nil))
    }
    isShown = false
  }

  private func fail(_ reason: String) {
    report?(.obstacle(reason))
    goOn()
  }

  private func connect(
    to path: String, _ machine: any Machine<WindowInput, WindowOutput>
  ) throws(Errno) {
    let descriptor = try DaemonSocket.connect(to: path)
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    let way = current
    channel = try DescriptorChannel(descriptor: descriptor, on: queue) { [weak self] event in
      self?.onQueue { watch in
        guard watch.current == way else { return }
        watch.receive(event)
      }
    }
    self.machine = machine
    step(.opened)
  }

  private func receive(_ event: ChannelEvent) {
    switch event {
    case .bytes(let bytes): step(.bytes(bytes))
    case .closed: fail("what shows the windows of the session has gone (\(ways[current].source))")
    default: break
    }
  }

  private func enterBus(_ address: String) throws(Errno) {
    let way = current
    do throws(BusFault) {
      bus = try connect(to: address, serving: { $0.serve(way) }) { watch, event in
        guard watch.current == way else { return }
        watch.step(.bus(event))
      }
    } catch { throw Errno(code: error.code, call: address) }
    enter { watch in
      guard watch.current == way else { return }
      watch.step(.bus(.connected))
    }
  }

  private func serve(_ way: Int) {
    guard current == way, let bus, !bus.process() else { return }
    fail("the bus of the session has gone")
  }

  // MARK: Steps

  private func step(_ input: WindowInput) {
    guard let outputs = machine?.handle(input, at: HostClock.now) else { return }
    let way = current
    for output in outputs where current == way {
      switch output {
      case .send(let bytes):
        channel?.write(bytes, on: queue) { [weak self] in
          self?.onQueue { $0.channel?.flush() }
        }
      case .bus(let action): bus?.carryOut(action)
      case .windows(let windows):
        isShown = windows != nil
        report?(.windows(ways[way].source, windows.map(programs.resolved)))
      case .ended(let reason):
        // Not from within a call of what ends.
        enter { watch in
          guard watch.current == way else { return }
          watch.fail(reason)
        }
      }
    }
    if let deadline = machine?.nextDeadline { timer?.arm(at: deadline) }
    // What was asked is sent after this step.
    if bus != nil { enter { $0.serve(way) } }
  }

  isolated deinit {
    channel?.end()
    bus?.end()
    timer?.end()
  }
}
