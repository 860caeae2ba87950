import Glibc
import LocationCoding
import LocationHost
import LocationLink
import LocationModel

/// The owner's side of the administration: one connection, one request after the other.
final class DaemonCaller {
  private let descriptor: Int32
  private var frames = FrameSplitter(limit: SocketLink.longestMessage)
  private var replies: [[UInt8]] = []

  /// Why a request to the daemon failed.
  enum Fault: Error, Hashable, Sendable {
    /// No daemon answers there, or it no longer does.
    case away(String)
    /// Something accepts connections, and says nothing.
    case silent
    /// The caller is not the daemon's owner, or cannot be verified as such.
    case notOwner(AccessRefusal)
    /// It cannot be done, and what a person can do about it.
    case refused(String, next: String?)
    /// An older daemon, which does not know the method.
    case unknownMethod(String)
    /// The daemon's reply cannot be understood.
    case garbled(String)
  }

  /// Opens a connection.
  ///
  /// - Throws: `Fault` with why there is none.
  init(at path: String) throws(Fault) {
    do throws(Errno) { descriptor = try DaemonSocket.connect(to: path) } catch {
      throw .away("\(error)")
    }
  }

  deinit { close(descriptor) }

  /// Sends one request and returns the reply.
  ///
  /// - Throws: `Fault` with why the daemon refuses.
  func ask(_ request: AdministrationRequest) throws(Fault) -> JSON {
    try send(request)
    guard let reply = try reply() else { throw .silent }
    return reply.parameters
  }

  /// Sends one request and returns a named member of the reply.
  ///
  /// - Throws: `Fault` with why the daemon refuses.
  func ask<Value: JSONCodable>(
    _ request: AdministrationRequest, _ name: String, as: Value.Type = Value.self
  ) throws(Fault) -> Value {
    let parameters = try ask(request)
    guard let value = parameters[name] else { throw .garbled("there is no `\(name)`") }
    do throws(CodingFault) { return try Value(json: value) } catch { throw .garbled("\(error)") }
  }

  /// Sends one request and reads replies until there are no more, the time is over, or `receive`
  /// returns `false`.
  ///
  /// - Throws: `Fault` with why the daemon does not continue.
  func follow<Value: JSONCodable>(
    _ request: AdministrationRequest, _ name: String, seconds: Double? = nil,
    _ receive: (Value) -> Bool
  ) throws(Fault) {
    // A stream may have nothing to say for long, so whether anybody is there is asked before.
    _ = try ask(.adapters)
    try send(request)
    let end = seconds.map { HostClock.now.uptime + .seconds($0) }
    while true {
      let rest = end.map { ($0 - HostClock.now.uptime).wholeNanoseconds }
      wait(rest)
      if let rest, rest <= 0 { return }
      guard let reply = try reply() else { return }
      guard let value = reply.parameters[name] else { return }
      do throws(CodingFault) {
        guard receive(try Value(json: value)), reply.continues else { return }
      } catch { throw .garbled("\(error)") }
    }
  }

  private func send(_ request: AdministrationRequest) throws(Fault) {
    let bytes = frame(request.call.json)
    let count = bytes.withUnsafeBytes {
      Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
    }
    // A refused connection may be closed already; the reason can still be read.
    guard count == bytes.count || errno == EPIPE else {
      throw .away(Errno(last: "send").description)
    }
  }

  /// Sets how long the next read waits: a number of nanoseconds, or without end.
  private func wait(_ nanoseconds: Int64?) {
    let micros = max(1, (nanoseconds ?? 0) / 1000)
    var timeout =
      nanoseconds == nil
      ? timeval(tv_sec: 0, tv_usec: 0)
      : timeval(tv_sec: Int(micros / 1_000_000), tv_usec: Int(micros % 1_000_000))
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
  }

  /// Returns the next reply; `nil` if none came in time.
  private func reply() throws(Fault) -> LinkReply? {
    var piece = [UInt8](repeating: 0, count: 65_536)
    while replies.isEmpty {
      let count = read(descriptor, &piece, piece.count)
      if count < 0, errno == EAGAIN { return nil }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw .away("it hung up") }
      do throws(CodingFault) { replies += try frames.take(piece.prefix(count)) } catch {
        throw .garbled("\(error)")
      }
    }
    let reply: LinkReply
    do throws(CodingFault) {
      reply = try LinkReply(json: JSON(parsing: replies.removeFirst()))
    } catch { throw .garbled("\(error)") }
    if let error = reply.error { throw Self.fault(error, reply.parameters) }
    return reply
  }

  private static func fault(_ error: String, _ parameters: JSON) -> Fault {
    func text(_ name: String) -> String? {
      if case .string(let text) = parameters[name] { text } else { nil }
    }
    switch error {
    case "\(AdministrationInterface.name).NotOwner":
      return .notOwner(
        (try? AccessRefusal(json: parameters))
          ?? AccessRefusal(reason: "it answers only root and the user it runs as"))
    case "\(LinkInterface.service).MethodNotFound": return .unknownMethod(text("method") ?? "")
    case "\(LinkInterface.service).InvalidParameter":
      return .refused("it does not understand: \(text("parameter") ?? "")", next: nil)
    default: return .refused(text("reason") ?? error, next: text("next"))
    }
  }
}
