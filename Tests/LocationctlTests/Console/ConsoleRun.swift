import Foundation
import Glibc
import TestSupport

/// A console that serves, and requests as any program could write them.
final class ConsoleRun: Sendable {
  let program: RunningProgram
  let port: UInt16
  let token: String

  /// Starts it, and waits until it has printed its address.
  init(_ words: [String] = [], environment: [String: String] = [:]) async throws {
    let program = try RunningProgram(
      BuiltProgram.path("locationctl"), ["console", "--no-open", "--json"] + words,
      environment: ["LOCATIOND_SOCKET": "/nonexistent/socket"].merging(environment) { $1 })
    self.program = program
    let address = try await program.lines.next(seconds: 60) { line -> String? in
      line.firstMatch(of: /"address":"([^"]+)"/).map { String($0.1) }
    }
    let parts = address.firstMatch(of: /^http:\/\/127\.0\.0\.1:(\d+)\/\?token=([0-9a-f]+)$/)
    port = parts.flatMap { UInt16($0.1) } ?? 0
    token = parts.map { String($0.2) } ?? ""
  }

  deinit { program.end() }

  var origin: String { "http://127.0.0.1:\(port)" }

  struct Answer {
    var status: Int
    var head: String
    var body: [UInt8]

    var text: String { String(decoding: body, as: UTF8.self) }
  }

  /// Exchanges the token; returns the cookie.
  func enter() throws -> String {
    let answer = try ask("GET /?token=\(token)")
    return answer.head.firstMatch(of: /Set-Cookie: ([^;]+);/).map { String($0.1) } ?? ""
  }

  private func connect() throws -> Int32 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let connected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard connected == 0 else {
      close(descriptor)
      throw POSIXError(.ECONNREFUSED)
    }
    return descriptor
  }

  /// A connection that stays.
  func line() throws -> Line { Line(try connect(), host: "127.0.0.1:\(port)") }

  /// A connection on which one request follows another, as a browser keeps it.
  final class Line {
    private let descriptor: Int32
    private let host: String

    fileprivate init(_ descriptor: Int32, host: String) {
      (self.descriptor, self.host) = (descriptor, host)
    }

    deinit { close(descriptor) }

    func send(_ line: String, headers: [String]) {
      let lines = ["\(line) HTTP/1.1", "Host: \(host)"] + headers
      let bytes = Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
      _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// Waits for an answer that is not empty; 0 if the connection ends first.
    func status() -> Int {
      var (all, piece) = ([UInt8](), [UInt8](repeating: 0, count: 65_536))
      while true {
        let count = Glibc.read(descriptor, &piece, piece.count)
        guard count > 0 else { return 0 }
        all += piece.prefix(count)
        let answer = ConsoleRun.answer(all)
        let length = answer.head.firstMatch(of: /Content-Length: (\d+)/).flatMap { Int($0.1) }
        if let length, length > 0, answer.body.count == length { return answer.status }
      }
    }
  }

  /// Sends a request, and reads the answer until the connection ends. `Host` is right unless given.
  func ask(
    _ line: String, host: String? = nil, headers: [String] = [], body: [UInt8] = []
  ) throws -> Answer {
    let descriptor = try connect()
    defer { close(descriptor) }
    let lines =
      ["\(line) HTTP/1.1", "Host: \(host ?? "127.0.0.1:\(port)")", "Connection: close"] + headers
      + (body.isEmpty ? [] : ["Content-Length: \(body.count)"])
    let bytes = Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      // It may have answered and hung up before it was all sent.
      guard count > 0 else { break }
      sent += count
    }
    return Self.answer(Self.read(descriptor))
  }

  private static func read(_ descriptor: Int32) -> [UInt8] {
    var (all, piece) = ([UInt8](), [UInt8](repeating: 0, count: 65_536))
    while true {
      let count = Glibc.read(descriptor, &piece, piece.count)
      guard count > 0 else { return all }
      all += piece.prefix(count)
    }
  }

  fileprivate static func answer(_ bytes: [UInt8]) -> Answer {
    let end = bytes.indices.dropLast(3).first { bytes[$0...].starts(with: [13, 10, 13, 10]) }
    let head = String(decoding: bytes.prefix(end ?? bytes.count), as: UTF8.self)
    let status = head.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return Answer(
      status: status, head: head, body: Array(bytes.dropFirst((end ?? bytes.count) + 4)))
  }
}
