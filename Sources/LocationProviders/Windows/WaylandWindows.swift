package import LocationModel

/// Follows the windows of a Wayland compositor by `zwlr_foreign_toplevel_manager_v1`.
///
/// The protocol names the app identifier that each window has set, and no process. The newer
/// `ext_foreign_toplevel_list_v1` does not say which window is active, so it is of no use here.
package struct WaylandWindows: Machine {
  /// What is awaited from the compositor.
  private enum Phase {
    /// Its globals; `manager` is the name of the one that lists windows, once it was seen.
    case globals(manager: UInt32?, until: Instant)
    /// The windows that there are.
    case windows(until: Instant)
    /// Nothing but changes.
    case following
    case ended
  }

  /// A window, with what it will be after its next event `done`.
  private struct Toplevel {
    var app: String?
    var isActive = false
    /// What counts: the state at the last `done`; `nil` before the first.
    var shown: (app: String?, isActive: Bool)?
  }

  private var phase = Phase.ended
  private var reader = WaylandReader()
  private var toplevels: [UInt32: Toplevel] = [:]
  private var last: WindowState?

  package init() {}

  package var nextDeadline: Instant? {
    switch phase {
    case .globals(_, let until), .windows(let until): until
    case .following, .ended: nil
    }
  }

  package mutating func handle(_ input: WindowInput, at now: Moment) -> [WindowOutput] {
    switch input {
    case .opened:
      phase = .globals(manager: nil, until: now.uptime + WindowBounds.answer)
      return [
        .send(WaylandMessage(object: Self.display, opcode: 1).with(Self.registry).bytes),
        .send(WaylandMessage(object: Self.display, opcode: 0).with(Self.firstSync).bytes),
      ]
    case .bytes(let bytes):
      if case .ended = phase { return [] }
      return take(bytes, at: now)
    case .bus: return []
    case .wake:
      guard let nextDeadline, now.uptime >= nextDeadline else { return [] }
      return end("the compositor does not answer")
    }
  }

  private mutating func end(_ reason: String) -> [WindowOutput] {
    phase = .ended
    return [.ended(reason: reason)]
  }

  private mutating func take(_ bytes: [UInt8], at now: Moment) -> [WindowOutput] {
    var outputs: [WindowOutput] = []
    do throws(WaylandReader.Fault) {
      for message in try reader.take(bytes) {
        outputs += try take(message, at: now)
        if case .ended = phase { return outputs }
      }
    } catch { return outputs + end("the compositor sends what is no message") }
    guard case .following = phase, windows != last else { return outputs }
    last = windows
    return outputs + [.windows(windows)]
  }

  private var windows: WindowState {
    var state = WindowState()
    for (app, isActive) in toplevels.values.compactMap(\.shown) {
      guard let owner = app.flatMap(WindowBounds.identifier) else { continue }
      state.owners.insert(owner)
      if isActive { state.active.insert(owner) }
    }
    return state
  }

  private mutating func take(
    _ message: WaylandMessage, at now: Moment
  ) throws(WaylandReader.Fault) -> [WindowOutput] {
    var arguments = WaylandArguments(message)
    switch (message.object, message.opcode) {
    case (Self.display, 0):
      return end("the compositor reports an error")
    case (Self.registry, 0):
      guard let name = arguments.number(), let interface = arguments.text() else {
        throw WaylandReader.Fault()
      }
      if case .globals(_, let until) = phase, interface == Self.interface {
        phase = .globals(manager: name, until: until)
      }
    case (Self.firstSync, 0): return bind(at: now)
    case (Self.secondSync, 0):
      if case .windows = phase { phase = .following }
    case (Self.manager, 0):
      guard let new = arguments.number(), new >= Self.firstOfServer else {
        throw WaylandReader.Fault()
      }
      if toplevels.count < WindowBounds.windows { toplevels[new] = Toplevel() }
    case (Self.manager, 1): return end("the compositor lists no windows any more")
    default:
      if toplevels[message.object] != nil { return try takeToplevel(message, arguments) }
    }
    return []
  }

  private mutating func bind(at now: Moment) -> [WindowOutput] {
    guard case .globals(let manager, _) = phase else { return [] }
    guard let manager else {
      return end("the compositor does not list windows (\(Self.interface))")
    }
    phase = .windows(until: now.uptime + WindowBounds.answer)
    let bind = WaylandMessage(object: Self.registry, opcode: 0).with(manager)
      .with(Self.interface).with(1).with(Self.manager)
    return [
      .send(bind.bytes),
      .send(WaylandMessage(object: Self.display, opcode: 0).with(Self.secondSync).bytes),
    ]
  }

  private mutating func takeToplevel(
    _ message: WaylandMessage, _ arguments: WaylandArguments
  ) throws(WaylandReader.Fault) -> [WindowOutput] {
    var arguments = arguments
    guard var toplevel = toplevels[message.object] else { return [] }
    switch message.opcode {
    case 1:
      guard let app = arguments.text() else { throw WaylandReader.Fault() }
      toplevel.app = app
    case 4:
      guard let states = arguments.array() else { throw WaylandReader.Fault() }
      toplevel.isActive = stride(from: 0, to: states.count, by: 4)
        .contains { states.native(at: $0) == Self.activated }
    case 5: toplevel.shown = (toplevel.app, toplevel.isActive)
    case 6:
      toplevels[message.object] = nil
      return [.send(WaylandMessage(object: message.object, opcode: Self.destroy).bytes)]
    // Its title, its outputs, and its parent.
    default: return []
    }
    toplevels[message.object] = toplevel
    return []
  }

  private static let interface = "zwlr_foreign_toplevel_manager_v1"
  /// The numbers of objects: the display's is fixed, the others are chosen in this order.
  private static let display: UInt32 = 1
  private static let registry: UInt32 = 2
  private static let firstSync: UInt32 = 3
  private static let manager: UInt32 = 4
  private static let secondSync: UInt32 = 5
  /// The first number of objects that the compositor makes.
  private static let firstOfServer: UInt32 = 0xff00_0000
  /// The state of the active window.
  private static let activated: UInt32 = 2
  /// The request that lets the number of a closed window go.
  private static let destroy: UInt16 = 7
}
