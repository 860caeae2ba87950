import Foundation

/// A connection to a server of windows.
final class WindowStream {
  private let descriptor: Int32

  init(path: String) throws {
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result == 0 else { throw POSIXError(.ECONNREFUSED) }
  }

  deinit { close(descriptor) }

  func write(_ bytes: [UInt8]) throws {
    guard Foundation.write(descriptor, bytes, bytes.count) == bytes.count else {
      throw POSIXError(.EPIPE)
    }
  }

  /// Writes bytes together with a descriptor.
  func write(_ bytes: [UInt8], passing passed: Int32) throws {
    // The head of a control message with one descriptor: its length, level, and kind, and padding.
    var control: [UInt8] = []
    control.append(UInt32(20))
    control.append(UInt32(0))
    control.append(UInt32(SOL_SOCKET))
    control.append(UInt32(1))
    control.append(UInt32(passed))
    control.append(UInt32(0))
    var bytes = bytes
    let length = bytes.count
    let sent = bytes.withUnsafeMutableBytes { body in
      control.withUnsafeMutableBytes { control in
        var part = iovec(iov_base: body.baseAddress, iov_len: length)
        return withUnsafeMutablePointer(to: &part) { part in
          var message = msghdr()
          message.msg_iov = part
          message.msg_iovlen = 1
          message.msg_control = control.baseAddress
          message.msg_controllen = control.count
          return sendmsg(descriptor, &message, 0)
        }
      }
    }
    guard sent == length else { throw POSIXError(.EPIPE) }
  }

  /// Reads this many bytes; `nil` at the end.
  func read(_ count: Int) -> [UInt8]? {
    var bytes: [UInt8] = []
    while bytes.count < count {
      var piece = [UInt8](repeating: 0, count: count - bytes.count)
      let got = Foundation.read(descriptor, &piece, piece.count)
      guard got > 0 else { return nil }
      bytes += piece.prefix(got)
    }
    return bytes
  }
}

extension [UInt8] {
  mutating func append(_ value: UInt32) {
    Swift.withUnsafeBytes(of: value) { append(contentsOf: $0) }
  }

  mutating func append(_ value: UInt16) {
    Swift.withUnsafeBytes(of: value) { append(contentsOf: $0) }
  }

  func word(at index: Int) -> UInt32 {
    withUnsafeBytes { $0.loadUnaligned(fromByteOffset: index, as: UInt32.self) }
  }

  func half(at index: Int) -> UInt16 {
    withUnsafeBytes { $0.loadUnaligned(fromByteOffset: index, as: UInt16.self) }
  }
}
