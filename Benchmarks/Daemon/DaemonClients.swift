import CoreLocation
import Glibc
import LocationHost
import LocationModel

// Programs of their own: this executable, started with a first word.

/// An app that follows live updates through the daemon and says when it has them.
enum Follower {
  static let name = "--follower"

  static func run() async throws -> Never {
    for try await update in CLLocationUpdate.liveUpdates() {
      let now = HostClock.now.uptime
      guard let location = update.location else { continue }
      print(location.timestamp.timeIntervalSince1970, now.nanoseconds)
      fflush(nil)
    }
    exit(0)
  }
}

/// An app that monitors twenty places a thousand kilometers away.
enum FarWatcher {
  static let name = "--far"

  static func run() -> Never {
    let manager = CLLocationManager()
    for number in 0..<20 {
      let center = CLLocationCoordinate2D(latitude: 58, longitude: Double(number))
      manager.startMonitoring(
        for: CLCircularRegion(center: center, radius: 200, identifier: "place-\(number)"))
    }
    print("watching")
    fflush(nil)
    while true { sleep(1000) }
  }
}

/// A message over a Unix socket from this process to another, and nothing else.
final class BareHop {
  static let name = "--hop"
  let child: Child
  private let descriptor: Int32

  init(in folder: URL) throws {
    let path = folder.appending(path: "hop").path
    child = try Child(Peers.own, [Self.name, path])
    child.readLines { $0 != "listening" }
    descriptor = try DaemonSocket.connect(to: path)
  }

  deinit { close(descriptor) }

  /// Sends as many bytes as a fix takes on the link, and says when that began.
  func send(_ epoch: Racer.Epoch) -> Instant {
    let date = "\(epoch.time.seconds)"
    let message = Array((date + String(repeating: " ", count: 300 - date.utf8.count)).utf8)
    let begin = HostClock.now.uptime
    _ = Glibc.send(descriptor, message, message.count, Int32(MSG_NOSIGNAL))
    return begin
  }

  static func run(_ path: String) throws -> Never {
    let listener = try DaemonSocket.listen(at: path)
    print("listening")
    fflush(nil)
    let descriptor = accept(listener, nil, nil)
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      let now = HostClock.now.uptime
      guard count > 0 else { exit(0) }
      let date = String(decoding: buffer[..<count], as: UTF8.self)
        .trimmingCharacters(in: .whitespaces)
      print(date, now.nanoseconds)
      fflush(nil)
    }
  }
}
