import CSystemd
import Dispatch
import Glibc
import LocationModel
package import LocationProviders

/// A connection to the bus of the machine, by sd-bus.
///
/// Lives on the host's queue and never leaves it; sd-bus calls back only from within ``process()``.
package final class BusConnection {
  let bus: OpaquePointer
  private let receive: (ChannelEvent) -> Void
  private var reader: (any DispatchSourceRead)?
  private var writer: (any DispatchSourceWrite)?
  private var timer: (any DispatchSourceTimer)?
  private var peers = BusPeers()
  /// Schedules ``process()`` again after other work on the queue had its turn.
  private var goOn: (() -> Void)?
  private var willGoOn = false
  private var exports: [String: Export] = [:]
  /// Objects whose calls somebody else answers.
  var served = BusServing()
  /// Whether the memory of messages is overwritten when it is free again.
  private let holdsSecrets: Bool
  /// Questions to the bus itself about the processes of others.
  var inquiries: [UInt64: (BusCredentials?) -> Void] = [:]

  /// An exported object, with the slots that keep it on the bus.
  private struct Export {
    var object: BusObject
    var slots: [OpaquePointer]
  }

  /// Connects to the bus at `address`; `nil` for the system bus, whose address
  /// `$DBUS_SYSTEM_BUS_ADDRESS` may set. `receive` is called on the queue.
  init(
    address: String?, holdsSecrets: Bool = false, receive: @escaping (ChannelEvent) -> Void
  ) throws(BusFault) {
    bus = try Self.open(address)
    self.holdsSecrets = holdsSecrets
    self.receive = receive
  }

  private static func open(_ address: String?) throws(BusFault) -> OpaquePointer {
    var opened: OpaquePointer?
    guard let address else {
      try BusFault.check(sd_bus_open_system(&opened))
      guard let opened else { throw BusFault(code: Errno.noEntry) }
      return opened
    }
    try BusFault.check(sd_bus_new(&opened))
    guard let opened else { throw BusFault(code: Errno.noEntry) }
    do throws(BusFault) {
      try BusFault.check(sd_bus_set_address(opened, address))
      try BusFault.check(sd_bus_set_bus_client(opened, 1))
      try BusFault.check(sd_bus_start(opened))
    } catch {
      sd_bus_unref(opened)
      throw error
    }
    return opened
  }

  /// Begins to watch the bus; `ready` is called on the queue when ``process()`` has work to do.
  func begin(on queue: DispatchQueue, ready: @escaping @Sendable () -> Void) throws(BusFault) {
    let descriptor = try BusFault.check(sd_bus_get_fd(bus))
    let reader = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
    let writer = DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: queue)
    let timer = DispatchSource.makeTimerSource(queue: queue)
    reader.setEventHandler(handler: ready)
    writer.setEventHandler(handler: ready)
    timer.setEventHandler(handler: ready)
    reader.activate()
    timer.activate()
    self.reader = reader
    self.writer = writer
    self.timer = timer
    goOn = { queue.async(execute: ready) }
    try listen()
  }

  /// Has every message that arrives handled here first.
  func listen() throws(BusFault) {
    try BusFault.check(
      sd_bus_add_filter(
        bus, nil,
        { message, context, _ in
          message.flatMap { BusConnection.from(context)?.take($0) } ?? 0
        }, context))
  }

  /// Handles a bounded number of messages, sends what waits, and schedules itself again if there is
  /// more, so that a flood of messages does not delay other work on the queue.
  ///
  /// Returns `false` if the connection is gone.
  package func process() -> Bool {
    willGoOn = false
    receive(peers.expire(at: HostClock.now.uptime))
    for _ in 0..<Self.mostPerTurn {
      let result = sd_bus_process(bus, nil)
      if result < 0 { return false }
      guard result > 0 else {
        endTurn()
        return true
      }
    }
    endTurn()
    if !willGoOn { goOn?() }
    willGoOn = true
    return true
  }

  private func endTurn() {
    receive(peers.takeRefusals())
    arm()
  }

  private func receive(_ events: [BusEvent]) {
    for event in events { receive(.bus(event)) }
  }

  private func arm() {
    let events = sd_bus_get_events(bus)
    settleWriter(wantsRoom: events >= 0 && events & Int32(POLLOUT) != 0)
    var due: UInt64 = 0
    let isTimed = sd_bus_get_timeout(bus, &due) > 0 && due != .max
    let now = UInt64(DispatchTime.now().uptimeNanoseconds / 1000)
    let own = isTimed ? DispatchTime.now() + .microseconds(Int(due > now ? due - now : 0)) : nil
    let reply = peers.nextDeadline.map {
      DispatchTime.now() + .nanoseconds(Int(max(.zero, $0 - HostClock.now.uptime).wholeNanoseconds))
    }
    let deadline = [own, reply].compactMap(\.self).min() ?? .distantFuture
    // A timer that is set anew wakes a thread, and most turns leave it as it is: far away.
    guard deadline != .distantFuture || isTimerSet else { return }
    isTimerSet = deadline != .distantFuture
    timer?.schedule(deadline: deadline)
  }

  private var isTimerSet = false

  /// Whether something waits for the bus to have room, or the connection is gone: ``process()`` is due.
  package var isPending: Bool { sd_bus_get_events(bus) & Int32(POLLOUT) != 0 }

  private var isWriting = false

  private func settleWriter(wantsRoom: Bool) {
    guard wantsRoom != isWriting else { return }
    isWriting = wantsRoom
    if wantsRoom { writer?.resume() } else { writer?.suspend() }
  }

  /// Leaves the bus, and ends every subscription, call, and export.
  package func end() {
    served.end()
    inquiries = [:]
    for export in exports.values { for slot in export.slots { sd_bus_slot_unref(slot) } }
    exports = [:]
    if !isWriting { writer?.resume() }
    writer?.cancel()
    timer?.cancel()
    let leaving = bus
    // The descriptor may be closed only after the source no longer watches it.
    nonisolated(unsafe) let bus = leaving
    reader?.setCancelHandler { sd_bus_close_unref(bus) }
    if let reader { reader.cancel() } else { sd_bus_close_unref(bus) }
  }

  // MARK: Carrying out

  package func carryOut(_ action: BusAction) {
    do throws(BusFault) {
      for question in peers.prepare(action) { try send(question) }
      switch action {
      case .call, .subscribe, .unsubscribe: break
      case .export(let object): try export(object)
      case .withdraw(let path): withdraw(path)
      case .emit(let signal): try emit(signal, to: nil)
      }
    } catch {
      guard case .call(let number, _) = action else { return }
      receive(.bus(.reply(number, .error("org.freedesktop.DBus.Error.Failed"))))
    }
  }

  var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  private func send(_ question: BusPeers.Question) throws(BusFault) {
    guard peers.hasRoom else { throw BusFault(code: ENOBUFS) }
    let call = question.call
    var made: OpaquePointer?
    try BusFault.check(
      sd_bus_message_new_method_call(
        bus, &made, call.destination, call.path, call.interface, call.member))
    guard let message = made else { return }
    defer { sd_bus_message_unref(message) }
    if holdsSecrets { sd_bus_message_sensitive(message) }
    try BusWriter(message).append(call.arguments)
    var serial: UInt64 = 0
    try BusFault.check(sd_bus_send(bus, message, &serial))
    peers.sent(question, as: serial, at: HostClock.now.uptime)
  }

  private func export(_ object: BusObject) throws(BusFault) {
    withdraw(object.path)
    var slots: [OpaquePointer] = []
    for path in [object.path] + (object.root.map { [$0] } ?? []) {
      var slot: OpaquePointer?
      try BusFault.check(
        sd_bus_add_object(
          bus, &slot, path,
          { message, context, _ in
            guard let message else { return 0 }
            return BusConnection.from(context)?.take(call: message) ?? 0
          }, context))
      if let slot { slots.append(slot) }
    }
    exports[object.path] = Export(object: object, slots: slots)
  }

  /// Sends a signal to one connection, or to everybody.
  func emit(_ signal: BusSignal, to receiver: String?) throws(BusFault) {
    var made: OpaquePointer?
    try BusFault.check(
      sd_bus_message_new_signal(bus, &made, signal.path, signal.interface, signal.member))
    guard let message = made else { return }
    defer { sd_bus_message_unref(message) }
    if let receiver { try BusFault.check(sd_bus_message_set_destination(message, receiver)) }
    try BusWriter(message).append(signal.arguments)
    try BusFault.check(sd_bus_send(bus, message, nil))
  }

  private func withdraw(_ path: String) {
    for slot in exports.removeValue(forKey: path)?.slots ?? [] { sd_bus_slot_unref(slot) }
  }

  // MARK: Receiving

  static func from(_ context: UnsafeMutableRawPointer?) -> BusConnection? {
    context.map { Unmanaged<BusConnection>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Filters every message before sd-bus handles it; returns 1 for one that is handled here.
  private func take(_ message: OpaquePointer) -> Int32 {
    if holdsSecrets { sd_bus_message_sensitive(message) }
    guard let head = BusHead(message), head.kind != .call else { return 0 }
    guard !take(credentials: message, head) else { return 1 }
    receive(peers.receive(head) { BusReader(message).all() })
    return 1
  }

  /// Replies at once to a call of an exported object, and reports a call of its own methods.
  private func take(call message: OpaquePointer) -> Int32 {
    guard let head = BusHead(message) else { return 0 }
    let there = exports.values.map(\.object).filter { [$0.path, $0.root].contains(head.path) }
    guard let first = there.first else { return 0 }
    guard peers.mayCall(first, head) else { return -EACCES }
    guard let values = BusReader(message).all() else { return -E2BIG }
    let call = BusSignal(
      path: head.path, interface: head.interface, member: head.member, arguments: values)
    guard let answer = BusAnswer(to: call, among: there) else { return 0 }
    var made: OpaquePointer?
    guard sd_bus_message_new_method_return(message, &made) >= 0, let reply = made else { return 0 }
    defer { sd_bus_message_unref(reply) }
    do throws(BusFault) {
      try BusWriter(reply).append(answer.values)
    } catch {
      return -error.code
    }
    sd_bus_send(bus, reply, nil)
    if answer.isNew { receive(.bus(.called(call))) }
    return 1
  }

  /// The most messages in one turn. Chosen: well under a millisecond of work.
  private static let mostPerTurn = 64
}

extension BusHead {
  /// Reads the header that sd-bus has parsed; `nil` for a message of another kind.
  init?(_ message: OpaquePointer) {
    func text(_ pointer: UnsafePointer<CChar>?) -> String {
      pointer.map { String(cString: $0) } ?? ""
    }
    var (type, serial): (UInt8, UInt64) = (0, 0)
    guard sd_bus_message_get_type(message, &type) >= 0 else { return nil }
    _ = sd_bus_message_get_reply_cookie(message, &serial)
    let kind: Kind
    switch Int(type) {
    case Int(SD_BUS_MESSAGE_SIGNAL): kind = .signal
    case Int(SD_BUS_MESSAGE_METHOD_CALL): kind = .call
    case Int(SD_BUS_MESSAGE_METHOD_RETURN): kind = .reply(to: serial)
    case Int(SD_BUS_MESSAGE_METHOD_ERROR):
      kind = .error(to: serial, name: text(sd_bus_message_get_error(message)?.pointee.name))
    default: return nil
    }
    self.init(kind, from: text(sd_bus_message_get_sender(message)))
    path = text(sd_bus_message_get_path(message))
    interface = text(sd_bus_message_get_interface(message))
    member = text(sd_bus_message_get_member(message))
    signature = text(sd_bus_message_get_signature(message, 1))
  }
}
