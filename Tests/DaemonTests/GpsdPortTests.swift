import Foundation
import Glibc
import TestSupport
import Testing

/// gpsd's port of a real daemon, over sockets; what is said there is `GpsdServerTests`'.
@Suite("gpsd's port of a daemon", .serialized)
struct GpsdPortTests {
  private func start(
    port: Int, sources: [String] = ["fixed:48.5,11.5,5"]
  ) async throws -> DaemonRun {
    let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let daemon = try await DaemonRun(
      sources: [],
      configuration: ["gpsd-port = \(port)", "owner-program = \(own)"]
        + sources.map { "source = \($0)" })
    // It answers after it has opened the port, or tried to.
    #expect(try daemon.control("status").status == 0)
    return daemon
  }

  private func status(_ daemon: DaemonRun) throws -> [String: Any] {
    let text = try daemon.control("status", "--json").text
    let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
    return try #require(object?["gpsd"] as? [String: Any])
  }

  @Test("SERVE-1, SERVE-8: answers at both addresses, and says that nobody knows who asks")
  func addresses() async throws {
    let port = try Loopback.freePort()
    let daemon = try await start(port: port)
    let programs = try (["127.0.0.1"] + (PortProgram.hasIPv6 ? ["::1"] : [])).map {
      try PortProgram(to: $0, port)
    }
    for program in programs { #expect(try program.line().hasPrefix("{\"class\":\"VERSION\"")) }
    let seen = try status(daemon)
    #expect(seen["state"] as? String == "serving" && seen["port"] as? Int == port)
    #expect(seen["programs"] as? Int == programs.count)
    let text = try daemon.control("status").text
    #expect(
      text.contains("gpsd port \(port): \(programs.count) connected; TCP does not say"), "\(text)")
    let doctor = try daemon.control("doctor").text
    #expect(doctor.contains("TCP does not say which it was"), "\(doctor)")
    #expect(doctor.contains("locationctl authorize gpsd-programs never"), "\(doctor)")
  }

  @Test(
    "SERVE-1, SERVE-8: says whose program has the port, at either address",
    arguments: ["127.0.0.1", "::1"])
  func taken(_ address: String) async throws {
    guard address != "::1" || PortProgram.hasIPv6 else { return }
    let port = try Loopback.freePort()
    let listener = try PortProgram.listen(at: address, port)
    defer { close(listener) }
    let daemon = try await start(port: port)
    let seen = try status(daemon)
    #expect(seen["state"] as? String == "taken")
    let reason = seen["reason"] as? String ?? ""
    #expect(reason.hasPrefix("a program of user \(getuid())"), "\(reason)")
    let doctor = try daemon.control("doctor")
    #expect(doctor.status == 1)
    #expect(doctor.text.contains("ss -ltnp 'sport = :\(port)'"))
    // The other address is not served either: a program would reach one or the other by chance.
    let other = address == "::1" ? "127.0.0.1" : "::1"
    #expect(throws: POSIXError.self) { try PortProgram(to: other, port) }
  }

  @Test("SERVE-6: a program that reads nothing is cut off, and another one misses nothing")
  func unread() async throws {
    let receiver = try Server()
    let port = try Loopback.freePort()
    let daemon = try await start(port: port, sources: ["nmea+tcp://127.0.0.1:\(receiver.port)"])
    let silent = try PortProgram(to: "127.0.0.1", port, room: 4096)
    let reading = try PortProgram(to: "127.0.0.1", port)
    for program in [silent, reading] {
      program.send("?WATCH={\"enable\":true,\"nmea\":true};\n")
    }
    while try !reading.line().contains("\"class\":\"WATCH\"") {}
    _ = try await receiver.arrivals.next(seconds: 20) { _ in true }
    var (sent, epoch) = (0, 0)
    while !silent.isCutOff, sent < 8_000_000 {
      let epochs = (0..<32).flatMap { Receiver.epoch(epoch + $0) }
      epoch += 32
      receiver.write(epochs)
      sent += epochs.count
      // Exactly what the receiver has sent, so that the daemon is never far behind.
      #expect(try reading.bytes(epochs.count) == epochs)
    }
    #expect(silent.isCutOff && (262_144..<1_000_000).contains(sent), "after \(sent) bytes")
    let seen = try status(daemon)
    #expect(seen["programs"] as? Int == 1 && seen["closed"] as? Int == 1, "\(seen)")
    // The receiver goes on for those who read.
    let last = Receiver.epoch(epoch)
    receiver.write(last)
    #expect(try reading.bytes(last.count) == last)
  }
}

/// A program at gpsd's port.
private final class PortProgram {
  private let descriptor: Int32
  private var received: [UInt8] = []

  /// Connects; `room` is how many bytes the kernel keeps for it that it has not read.
  init(to address: String, _ port: Int, room: Int32? = nil) throws {
    let (family, bytes) = Self.address(address, port)
    descriptor = socket(family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    if var room { setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &room, 4) }
    var limit = timeval(tv_sec: 20, tv_usec: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    let result = bytes.withUnsafeBytes {
      connect(
        descriptor, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
    }
    guard result == 0 else {
      let code = errno
      close(descriptor)
      throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO)
    }
  }

  deinit { close(descriptor) }

  func send(_ text: String) {
    _ = Glibc.send(descriptor, text, text.utf8.count, Int32(MSG_NOSIGNAL))
  }

  func line() throws -> String {
    while true {
      if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
        defer { received.removeSubrange(...end) }
        return String(decoding: received[..<end], as: UTF8.self)
      }
      try receive()
    }
  }

  func bytes(_ count: Int) throws -> [UInt8] {
    while received.count < count { try receive() }
    defer { received.removeFirst(count) }
    return Array(received[..<count])
  }

  private func receive() throws {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = read(descriptor, &bytes, bytes.count)
    guard count > 0 else { throw POSIXError(count == 0 ? .ECONNRESET : .ETIMEDOUT) }
    received += bytes[..<count]
  }

  /// Whether the other end has closed, found without reading.
  var isCutOff: Bool {
    var watched = pollfd(fd: descriptor, events: 0, revents: 0)
    return poll(&watched, 1, 0) > 0 && watched.revents & Int16(POLLHUP | POLLERR) != 0
  }

  static func listen(at address: String, _ port: Int) throws -> Int32 {
    let (family, bytes) = Self.address(address, port)
    let descriptor = socket(
      family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    let result = bytes.withUnsafeBytes {
      bind(
        descriptor, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
    }
    guard result == 0, Glibc.listen(descriptor, 4) == 0 else {
      close(descriptor)
      throw POSIXError(.EADDRNOTAVAIL)
    }
    return descriptor
  }

  static var hasIPv6: Bool {
    guard let descriptor = try? listen(at: "::1", 0) else { return false }
    close(descriptor)
    return true
  }

  private static func address(_ text: String, _ port: Int) -> (family: Int32, bytes: [UInt8]) {
    guard text == "::1" else {
      let address = Loopback.address(port: port)
      return (AF_INET, withUnsafeBytes(of: address) { Array($0) })
    }
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    address.sin6_port = UInt16(port).bigEndian
    address.sin6_addr = in6addr_loopback
    return (AF_INET6, withUnsafeBytes(of: address) { Array($0) })
  }
}
