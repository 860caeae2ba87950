import Foundation
import Glibc

/// A real gpsd that reads one port, started for a measurement and ended with it.
final class Gpsd {
  let port = freePort()
  let child: Child

  /// `tool` is what gpsd runs under, such as valgrind.
  init(reading path: String, under tool: [String] = []) throws {
    let gpsd = try Peers.program("gpsd", from: "gpsd")
    let words = tool + [gpsd, "-N", "-n", "-b", "-S", String(port), path]
    child = try Child(words[0], Array(words.dropFirst()))
  }

  /// Waits until it answers; false when it does not within so many seconds.
  func isReady(within seconds: Double) -> Bool {
    let deadline = ContinuousClock.now + .seconds(seconds)
    while ContinuousClock.now < deadline {
      if answers { return true }
      usleep(100_000)
    }
    return false
  }

  private var answers: Bool {
    let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(socket) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    address.sin_port = UInt16(port).bigEndian
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }
}
