import CSystemd
import Dispatch
import Glibc
import LocationModel

/// A connection to the bus of the machine, by sd-bus.
///
/// Lives on the host's queue and never leaves it; sd-bus calls back only from within ``process()``.
final class BusConnection {
  private let bus: OpaquePointer
  private let heard: (ChannelEvent) -> Void
  private var reader: (any DispatchSourceRead)?
  private var writer: (any DispatchSourceWrite)?
  private var timer: (any DispatchSourceTimer)?
  /// Numbers of calls by the cookies of their messages.
  private var calls: [UInt64: Int] = [:]
  private var exports: [String: Export] = [:]

  /// An object of ours, with what keeps it on the bus.
  private struct Export {
    var object: BusObject
    var slots: [OpaquePointer]
  }

  /// Connects to the bus at `address`; `nil` for the system's own, which
  /// `$DBUS_SYSTEM_BUS_ADDRESS` may name. `heard` is called on the queue.
  init(address: String?, heard: @escaping (ChannelEvent) -> Void) throws(BusFault) {
    bus = try Self.open(address)
    self.heard = heard
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

  /// Begins to listen; `ready` is called on the queue whenever ``process()`` has something to do.
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
  }

  /// Takes what has come, sends what waits, and asks to be called again when there is more.
  ///
  /// `false` when the connection is gone.
  func process() -> Bool {
    while true {
      let result = sd_bus_process(bus, nil)
      if result < 0 { return false }
      if result == 0 { break }
    }
    arm()
    return true
  }

  private func arm() {
    let events = sd_bus_get_events(bus)
    settleWriter(wantsRoom: events >= 0 && events & Int32(POLLOUT) != 0)
    var due: UInt64 = 0
    let isTimed = sd_bus_get_timeout(bus, &due) > 0 && due != .max
    let now = UInt64(DispatchTime.now().uptimeNanoseconds / 1000)
    timer?.schedule(
      deadline: isTimed
        ? .now() + .microseconds(Int(due > now ? due - now : 0)) : .distantFuture)
  }

  private var isWriting = false

  private func settleWriter(wantsRoom: Bool) {
    guard wantsRoom != isWriting else { return }
    isWriting = wantsRoom
    if wantsRoom { writer?.resume() } else { writer?.suspend() }
  }

  /// Leaves the bus; whatever was subscribed, called, or exported ends with it.
  func end() {
    for export in exports.values { for slot in export.slots { sd_bus_slot_unref(slot) } }
    exports = [:]
    if !isWriting { writer?.resume() }
    writer?.cancel()
    timer?.cancel()
    let leaving = bus
    // The descriptor closes only when the source no longer watches it.
    nonisolated(unsafe) let bus = leaving
    reader?.setCancelHandler { sd_bus_close_unref(bus) }
    if let reader { reader.cancel() } else { sd_bus_close_unref(bus) }
  }

  // MARK: Carrying out

  func carryOut(_ action: BusAction) {
    do throws(BusFault) {
      switch action {
      case .call(let number, let call): try send(call, number)
      case .subscribe(let match): try subscribe(match)
      case .export(let object): try export(object)
      case .withdraw(let path): withdraw(path)
      }
    } catch {
      guard case .call(let number, _) = action else { return }
      heard(.bus(.reply(number, .error("org.freedesktop.DBus.Error.Failed"))))
    }
  }

  private var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  private func send(_ call: BusCall, _ number: Int) throws(BusFault) {
    var made: OpaquePointer?
    try BusFault.check(
      sd_bus_message_new_method_call(
        bus, &made, call.destination, call.path, call.interface, call.member))
    guard let message = made else { return }
    defer { sd_bus_message_unref(message) }
    try BusWriter(message).append(call.arguments)
    try BusFault.check(
      sd_bus_call_async(
        bus, nil, message,
        { reply, context, _ in
          BusConnection.from(context)?.take(reply: reply)
          return 0
        }, context, 0))
    var cookie: UInt64 = 0
    try BusFault.check(sd_bus_message_get_cookie(message, &cookie))
    calls[cookie] = number
  }

  private func subscribe(_ match: BusMatch) throws(BusFault) {
    var rule =
      "type='signal',sender='\(match.sender)',interface='\(match.interface)',"
      + "member='\(match.member)'"
    if let argument = match.firstArgument { rule += ",arg0='\(argument)'" }
    try BusFault.check(
      sd_bus_add_match_async(
        bus, nil, rule,
        { message, context, _ in
          if let message { BusConnection.from(context)?.take(signal: message) }
          return 0
        },
        // Without a handler of its own, a refused match would end the whole connection.
        { _, _, _ in 0 }, context))
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

  private func withdraw(_ path: String) {
    for slot in exports.removeValue(forKey: path)?.slots ?? [] { sd_bus_slot_unref(slot) }
  }

  // MARK: Hearing

  private static func from(_ context: UnsafeMutableRawPointer?) -> BusConnection? {
    context.map { Unmanaged<BusConnection>.fromOpaque($0).takeUnretainedValue() }
  }

  private func take(reply message: OpaquePointer?) {
    var cookie: UInt64 = 0
    guard let message, sd_bus_message_get_reply_cookie(message, &cookie) >= 0,
      let number = calls.removeValue(forKey: cookie)
    else { return }
    guard let error = sd_bus_message_get_error(message) else {
      return heard(.bus(.reply(number, .values(BusReader(message).values()))))
    }
    let name = error.pointee.name.map { String(cString: $0) } ?? ""
    heard(.bus(.reply(number, .error(name))))
  }

  private func take(signal message: OpaquePointer) {
    heard(.bus(.signal(BusSignal(message))))
  }

  /// Somebody calls an object of ours: answers at once, and says so when the method is its own.
  private func take(call message: OpaquePointer) -> Int32 {
    let call = BusSignal(message)
    let objects = exports.values.map(\.object)
    guard let answer = BusAnswer(to: call, among: objects) else { return 0 }
    var made: OpaquePointer?
    guard sd_bus_message_new_method_return(message, &made) >= 0, let reply = made else { return 0 }
    defer { sd_bus_message_unref(reply) }
    do throws(BusFault) {
      try BusWriter(reply).append(answer.values)
    } catch {
      return -error.code
    }
    sd_bus_send(bus, reply, nil)
    if answer.isNews { heard(.bus(.called(call))) }
    return 1
  }
}

extension BusSignal {
  /// What a message says, a signal or a call.
  fileprivate init(_ message: OpaquePointer) {
    func text(_ pointer: UnsafePointer<CChar>?) -> String {
      pointer.map { String(cString: $0) } ?? ""
    }
    self.init(
      path: text(sd_bus_message_get_path(message)),
      interface: text(sd_bus_message_get_interface(message)),
      member: text(sd_bus_message_get_member(message)),
      arguments: BusReader(message).values())
  }
}
