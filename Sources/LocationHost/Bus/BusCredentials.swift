import CLinux
import CSystemd
import Glibc
import LocationProviders

/// The process at the other end of a connection to the bus, as the bus learned it from the kernel when
/// the connection was made.
package struct BusCredentials: Sendable {
  package var pid: Int32
  package var user: UInt32
  /// A descriptor of the process, which the receiver closes; `nil` if the bus offers none.
  package var process: Int32?

  package init(pid: Int32, user: UInt32, process: Int32?) {
    (self.pid, self.user, self.process) = (pid, user, process)
  }

  /// Closes the descriptor, and returns the number of the process; `nil` if it has ended, so that the number
  /// may be another one's. Without a descriptor the bus says nothing of that.
  package func takeNumber() -> Int32? {
    guard let process else { return pid }
    defer { close(process) }
    // A process that has ended can be read.
    var watched = pollfd(fd: process, events: Int16(POLLIN), revents: 0)
    var count = poll(&watched, 1, 0)
    while count < 0, errno == EINTR { count = poll(&watched, 1, 0) }
    return count == 0 ? pid : nil
  }
}

extension BusConnection {
  /// Asks the bus whose process has a unique name; `body` is called once, on the queue, with `nil` if
  /// the bus does not know, and not at all if this connection ends.
  package func inquire(about name: String, _ body: @escaping (BusCredentials?) -> Void) {
    var made: OpaquePointer?
    let service = "org.freedesktop.DBus"
    guard
      sd_bus_message_new_method_call(
        bus, &made, service, "/org/freedesktop/DBus", service, "GetConnectionCredentials") >= 0,
      let message = made
    else { return body(nil) }
    defer { sd_bus_message_unref(message) }
    var serial: UInt64 = 0
    do throws(BusFault) {
      try BusWriter(message).append(.string(name))
      try BusFault.check(sd_bus_send(bus, message, &serial))
    } catch { return body(nil) }
    inquiries[serial] = body
  }

  /// Takes the answer of the bus; returns whether the message is one.
  func take(credentials message: OpaquePointer, _ head: BusHead) -> Bool {
    guard !inquiries.isEmpty, head.sender == "org.freedesktop.DBus" else { return false }
    switch head.kind {
    case .signal, .call: return false
    case .error(let serial, _):
      guard let body = inquiries.removeValue(forKey: serial) else { return false }
      body(nil)
    case .reply(let serial):
      guard let body = inquiries.removeValue(forKey: serial) else { return false }
      body(CredentialsReader(message).read())
    }
    return true
  }
}

/// Reads the answer of `GetConnectionCredentials`: values by name, of which one may be a descriptor.
private struct CredentialsReader {
  private let message: OpaquePointer

  init(_ message: OpaquePointer) {
    self.message = message
  }

  func read() -> BusCredentials? {
    var (pid, user, process): (UInt32?, UInt32?, Int32?) = (nil, nil, nil)
    guard sd_bus_message_enter_container(message, Self.array, "{sv}") > 0 else { return nil }
    while sd_bus_message_enter_container(message, Self.entry, "sv") > 0 {
      var text: UnsafePointer<CChar>?
      guard sd_bus_message_read_basic(message, Self.string, &text) > 0, let text else { break }
      switch String(cString: text) {
      case "ProcessID": pid = number()
      case "UnixUserID": user = number()
      case "ProcessFD": process = descriptor() ?? process
      default: sd_bus_message_skip(message, "v")
      }
      guard sd_bus_message_exit_container(message) >= 0 else { break }
    }
    guard let pid, let user, let pid = Int32(exactly: pid), pid > 0 else {
      if let process { close(process) }
      return nil
    }
    return BusCredentials(pid: pid, user: user, process: process)
  }

  private func number() -> UInt32? {
    var value: UInt32 = 0
    return within("u") { sd_bus_message_read_basic(message, $0, &value) > 0 } ? value : nil
  }

  /// A copy of the descriptor: the message's own is closed with it.
  private func descriptor() -> Int32? {
    var value: Int32 = -1
    guard within("h", { sd_bus_message_read_basic(message, $0, &value) > 0 }) else { return nil }
    let copy = fcntl(value, F_DUPFD_CLOEXEC, 0)
    return copy >= 0 ? copy : nil
  }

  /// Reads a variant of one type, or skips one of another.
  private func within(_ type: Unicode.Scalar, _ read: (CChar) -> Bool) -> Bool {
    guard sd_bus_message_enter_container(message, Self.variant, String(type)) > 0 else {
      sd_bus_message_skip(message, "v")
      return false
    }
    let isRead = read(CChar(type.value))
    return sd_bus_message_exit_container(message) >= 0 && isRead
  }

  private static let array = CChar(UInt8(ascii: "a"))
  private static let entry = CChar(UInt8(ascii: "e"))
  private static let string = CChar(UInt8(ascii: "s"))
  private static let variant = CChar(UInt8(ascii: "v"))
}
