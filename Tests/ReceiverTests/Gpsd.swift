import Foundation
import TestSupport

/// A real gpsd that the test has started.
final class Gpsd: Sendable {
  let port: Int
  private let folder: TemporaryFolder
  private let program: RunningProgram

  /// Starts it, and returns when it listens.
  init(port: Int, devices: [String] = []) async throws {
    self.port = port
    folder = try TemporaryFolder()
    program = try RunningProgram(
      "gpsd",
      ["-N", "-n", "-b", "-D", "4", "-S", "\(port)", "-F", folder.file("control")] + devices,
      environment: Self.environment)
    _ = try await program.lines.next { $0.contains("startup at") }
  }

  /// Tells it of a device, as udev does when one is plugged in.
  func plugIn(_ device: String) throws { try perform("+\(device)") }

  /// Tells it that a device is gone, as udev does.
  func unplug(_ device: String) throws { try perform("-\(device)") }

  func stop() { program.terminate() }

  private func perform(_ line: String) throws {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { path in
      path.copyBytes(from: folder.file("control").utf8.prefix(path.count - 1))
    }
    let connected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard connected == 0 else { throw POSIXError(.ECONNREFUSED) }
    let bytes = Array((line + "\r\n").utf8)
    _ = write(descriptor, bytes, bytes.count)
    var answer = [UInt8](repeating: 0, count: 16)
    guard read(descriptor, &answer, answer.count) > 0, answer.starts(with: "OK".utf8) else {
      throw POSIXError(.EIO)
    }
  }

  /// Nothing of the machine's own.
  static let environment = [
    "PATH": (ProcessInfo.processInfo.environment["PATH"] ?? "") + ":/usr/sbin:/sbin",
    "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent",
  ]

  static let isInstalled = TestSupport.isInstalled("gpsd") && TestSupport.isInstalled("gpspipe")
  static let isMissing = "gpsd, gpsfake, and gpspipe are not installed"
}
