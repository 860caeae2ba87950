import Foundation
import TestSupport

/// Devices of some tenants that publish to an ingress with QoS 1 when somebody says so; one whose connection
/// takes nothing more waits, and no other one with it.
final class PacedDevices {
  private static let connections = 4 * FleetTraffic.tenants
  /// How many messages of a connection may be on their way.
  private static let window = 200

  private var sockets: [pollfd] = []
  private var waiting: [[UInt8]]
  private var numbers: [Int]
  private var bytes: [Int]
  private var first = 0

  init(port: Int) throws {
    waiting = [[UInt8]](repeating: [], count: Self.connections)
    numbers = [Int](repeating: 0, count: Self.connections)
    bytes = numbers
    for index in 0..<Self.connections {
      let user = FleetTraffic.tenant(index % FleetTraffic.tenants)
      let socket = try MQTTSocket.open(
        port: port, identifier: "c\(index)", user: user, keepAlive: 0)
      sockets.append(socket)
      _ = fcntl(socket.fd, F_SETFL, O_NONBLOCK)
    }
  }

  deinit { for socket in sockets { close(socket.fd) } }

  /// Messages that were acknowledged.
  var acknowledged: Int { bytes.reduce(0) { $0 + $1 / 4 } }

  /// Lets every connection that is free send what there is of its tenant, topics and payloads, and reads what was
  /// acknowledged.
  func turn(_ next: (_ tenant: Int) -> [(topic: String, payload: String)]) throws {
    first += 1
    for offset in sockets.indices {
      let index = (first + offset) % sockets.count
      try flush(index)
      guard waiting[index].isEmpty, numbers[index] - bytes[index] / 4 < Self.window else {
        continue
      }
      for message in next(index % FleetTraffic.tenants) {
        numbers[index] += 1
        let number = numbers[index] % 65_535 + 1
        let body =
          MQTTBytes.text(message.topic) + [UInt8(number >> 8), UInt8(number & 255)]
          + Array(message.payload.utf8)
        // All of them have more than 127 bytes, and less than 16 kB.
        waiting[index] += [0x32, UInt8(body.count & 127) | 128, UInt8(body.count >> 7)] + body
      }
      try flush(index)
    }
    guard poll(&sockets, UInt(sockets.count), 2) > 0 else { return }
    var chunk = [UInt8](repeating: 0, count: 65_536)
    for index in sockets.indices where sockets[index].revents != 0 {
      let count = recv(sockets[index].fd, &chunk, chunk.count, 0)
      guard count > 0 else { throw MQTTSocket.Gone() }
      bytes[index] += count
    }
  }

  private func flush(_ index: Int) throws {
    while !waiting[index].isEmpty {
      let count = waiting[index].withUnsafeBytes {
        Glibc.send(sockets[index].fd, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else {
        guard errno == EAGAIN else { throw MQTTSocket.Gone() }
        return
      }
      waiting[index].removeFirst(count)
    }
  }
}
