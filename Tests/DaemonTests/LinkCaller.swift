import Foundation
import LocationCoding
import LocationHost
import LocationLink

/// A client that speaks the link by hand, well or badly.
final class LinkCaller: Sendable {
  let descriptor: Int32

  struct HungUp: Error {}

  init(_ path: String) throws {
    descriptor = try DaemonSocket.connect(to: path)
  }

  deinit { close(descriptor) }

  /// Sends bytes as they are; whether the daemon takes them.
  @discardableResult
  func send(_ bytes: [UInt8]) -> Bool {
    Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
  }

  func ask(_ method: String, _ parameters: JSON = .object([]), more: Bool = false) {
    send(frame(LinkCall(method, parameters, wantsMore: more).json))
  }

  func call(_ method: String, _ parameters: JSON = .object([]), more: Bool = false) throws
    -> LinkReply
  {
    ask(method, parameters, more: more)
    return try reply()
  }

  /// The next reply, read byte by byte so that the one after it stays where it is.
  func reply() throws -> LinkReply {
    var message: [UInt8] = []
    var byte: UInt8 = 0
    while true {
      guard read(descriptor, &byte, 1) == 1 else { throw HungUp() }
      if byte == 0 { return try LinkReply(json: JSON(parsing: message)) }
      message.append(byte)
    }
  }

  /// Whether the daemon has hung up, after what it had to say.
  func isCutOff() -> Bool {
    while true {
      do { _ = try reply() } catch { return error is HungUp && errno != EAGAIN }
    }
  }
}

extension LinkReply {
  /// Why the daemon refuses.
  var reason: String? {
    guard case .string(let reason)? = parameters["reason"] else { return nil }
    return reason
  }
}
