import CCurl
import Dispatch
import Glibc

/// A connection over TLS to a server whose certificate was checked, by libcurl, which the first one loads.
///
/// Its bytes come out of a socket of this process, which is read like one that is not encrypted.
package enum TLSConnection {
  /// Why there is none.
  package enum Failure: Error, Hashable, Sendable {
    case noHost
    /// Nothing answers, or not over TLS, or with a certificate that is not accepted.
    case refused(String)
  }

  /// Connects on a thread of its own, which then moves the bytes until one side has hung up.
  ///
  /// - Parameters:
  ///   - host: the name or address that the certificate must be for.
  ///   - port: the port.
  ///   - authorities: a file of the certificates to trust in place of the system's.
  ///   - decided: called once, on that thread, with a socket to read, which the receiver closes.
  package static func open(
    host: String, port: Int, authorities: String?,
    decided: @escaping @Sendable (Result<Int32, Failure>) -> Void
  ) {
    DispatchQueue(label: "meridian.tls").async {
      let stream: OpaquePointer
      switch connect(host, port, authorities) {
      case .success(let connected): stream = connected
      case .failure(let failure): return decided(.failure(failure))
      }
      defer { ccurl_disconnect(stream) }
      var ends: [Int32] = [-1, -1]
      let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
      guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
        return decided(.failure(.refused("no socket is left")))
      }
      defer { close(ends[1]) }
      _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
      decided(.success(ends[0]))
      move(from: stream, to: ends[1])
    }
  }

  private static func connect(
    _ host: String, _ port: Int, _ authorities: String?
  ) -> Result<OpaquePointer, Failure> {
    var error = [CChar](repeating: 0, count: Int(CCURL_ERROR_SIZE))
    var code: Int32 = 0
    let stream =
      if let authorities {
        ccurl_connect(host, Int32(port), authorities, timeout, &error, &code)
      } else {
        ccurl_connect(host, Int32(port), nil, timeout, &error, &code)
      }
    if let stream { return .success(stream) }
    let bytes = error.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    let cause = bytes.isEmpty ? "libcurl \(code)" : String(decoding: bytes, as: UTF8.self)
    return .failure(failure(code, cause, host, authorities))
  }

  private static func failure(
    _ code: Int32, _ cause: String, _ host: String, _ authorities: String?
  ) -> Failure {
    switch code {
    case -1: .refused("libcurl, which encrypts, is not installed: apt-get install libcurl4")
    case 6: .noHost
    case 35: .refused("\(host) does not answer with TLS 1.2 or newer: \(cause)")
    case 60: .refused("the certificate of \(host) is not accepted: \(cause)")
    case 77: .refused("the certificates in \(authorities ?? "the system's file") cannot be read")
    default: .refused(cause)
    }
  }

  private static func move(from stream: OpaquePointer, to descriptor: Int32) {
    var bytes = [UInt8](repeating: 0, count: 16_384)
    var watched = [ccurl_socket(stream), descriptor].map {
      pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
    }
    while true {
      // What was decrypted already shows on no socket.
      let count = ccurl_receive(stream, &bytes, bytes.count)
      if count > 0 {
        guard pass(bytes[..<count], to: descriptor) else { return }
        continue
      }
      guard count == -1 else { return }
      while poll(&watched, 2, -1) < 0, errno == EINTR {}
      guard watched[1].revents == 0 || drain(descriptor) else { return }
    }
  }

  /// Writes everything; waits while the reader is slow. Returns `false` when it has hung up.
  private static func pass(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Bool {
    var rest = bytes
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// Drops what was written: to a receiver over TLS nothing is sent. Returns `false` at the end.
  private static func drain(_ descriptor: Int32) -> Bool {
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
    return count > 0 || count < 0 && (errno == EAGAIN || errno == EINTR)
  }

  /// Milliseconds. Chosen: as long as a slow network takes for a connection and a handshake.
  private static let timeout = 10_000
}
