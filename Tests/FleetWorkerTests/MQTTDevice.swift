import Foundation
import TestSupport

/// A device that speaks MQTT 3.1.1 over a socket, waits for what it expects, and remembers what was
/// acknowledged.
struct MQTTDevice {
  struct Gone: Error {}

  private let descriptor: Int32
  private(set) var acknowledged = 0
  private var rest: [UInt8] = []
  private var number: UInt16 = 0

  /// Connects; fails where nobody listens, or it is refused.
  init(port: Int, user: String, password: String) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var limit = timeval(tv_sec: 30, tv_usec: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    guard Loopback.connect(descriptor, port: port) else {
      Glibc.close(descriptor)
      throw Gone()
    }
    let words = MQTTBytes.text("MQTT") + [4, 0xc2, 0, 60] + MQTTBytes.text("")
    do {
      try send(MQTTBytes.packet(0x10, words + MQTTBytes.text(user) + MQTTBytes.text(password)))
      guard try receive(4) == [0x20, 2, 0, 0] else { throw Gone() }
    } catch {
      Glibc.close(descriptor)
      throw error
    }
  }

  func close() { Glibc.close(descriptor) }

  /// Publishes with QoS 1.
  mutating func publish(_ payload: String, to topic: String) throws {
    number += 1
    let head = MQTTBytes.text(topic) + [UInt8(number >> 8), UInt8(number & 255)]
    try send(MQTTBytes.packet(0x32, head + Array(payload.utf8)))
  }

  /// Publishes several with QoS 1, which come in one piece.
  mutating func publish(_ payloads: [String], to topic: String) throws {
    var bytes: [UInt8] = []
    for payload in payloads {
      number += 1
      let head = MQTTBytes.text(topic) + [UInt8(number >> 8), UInt8(number & 255)]
      bytes += MQTTBytes.packet(0x32, head + Array(payload.utf8))
    }
    try send(bytes)
  }

  /// Publishes with QoS 0, and goes, in one piece.
  func publishAndGo(_ payload: String, to topic: String) throws {
    try send(MQTTBytes.packet(0x30, MQTTBytes.text(topic) + Array(payload.utf8)) + [0xe0, 0])
  }

  /// Waits until so many messages of this connection are acknowledged.
  mutating func waitForAcknowledgements(_ count: Int) throws {
    while acknowledged < count {
      let next = UInt16(truncatingIfNeeded: acknowledged + 1)
      guard try receive(4) == [0x40, 2, UInt8(next >> 8), UInt8(next & 255)] else { throw Gone() }
      acknowledged += 1
    }
  }

  /// Whether the other side closes, and sends nothing more.
  mutating func isClosed() -> Bool { (try? receive(1)) == nil }

  func send(_ bytes: [UInt8]) throws {
    guard Loopback.send(bytes, descriptor) else { throw Gone() }
  }

  mutating func receive(_ count: Int) throws -> [UInt8] {
    var chunk = [UInt8](repeating: 0, count: 4096)
    while rest.count < count {
      let more = recv(descriptor, &chunk, chunk.count, 0)
      guard more > 0 else { throw Gone() }
      rest += chunk[..<more]
    }
    defer { rest.removeFirst(count) }
    return Array(rest.prefix(count))
  }
}
