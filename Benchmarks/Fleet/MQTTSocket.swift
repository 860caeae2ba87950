import Foundation
import TestSupport

/// The connection of a device to an ingress of the loopback.
enum MQTTSocket {
  struct Gone: Error {}
  static let password = "0123456789abcdef0123456789abcdef"

  /// Connects as a user, and waits until that is taken; with `keepAlive` 0 it may be silent for ever.
  static func open(port: Int, identifier: String, user: String, keepAlive: UInt8) throws -> pollfd {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    do {
      guard Loopback.connect(descriptor, port: port) else { throw Gone() }
      var on: Int32 = 1
      setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, 4)
      let texts = [identifier, user, password].flatMap { MQTTBytes.text($0) }
      let body = MQTTBytes.text("MQTT") + [4, 0xc2, 0, keepAlive] + texts
      try send(MQTTBytes.packet(0x10, body), descriptor)
      var answer = [UInt8](repeating: 0xff, count: 4)
      guard recv(descriptor, &answer, 4, Int32(MSG_WAITALL)) == 4, answer[3] == 0 else {
        throw Gone()
      }
    } catch {
      close(descriptor)
      throw error
    }
    return pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
  }

  /// Sends all of it.
  static func send(_ bytes: [UInt8], _ descriptor: Int32) throws {
    guard Loopback.send(bytes, descriptor) else { throw Gone() }
  }
}
