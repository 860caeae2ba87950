import CoreLocation
import Dispatch
import Glibc
import LocationHost
import LocationLink
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

/// Many connections that watch and read what comes.
enum Crowd {
  static let name = "--crowd"

  static func run(_ socket: String, _ count: Int) throws -> Never {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit)
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit)
    let call = frame(LinkCall("\(LinkInterface.name).Watch", wantsMore: true).json)
    let queue = DispatchQueue(label: "crowd")
    let readers = try (0..<count).map { _ in
      let descriptor = try DaemonSocket.connect(to: socket)
      _ = send(descriptor, call, call.count, Int32(MSG_NOSIGNAL))
      let reader = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
      reader.setEventHandler {
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 16) {
          _ = read(descriptor, $0.baseAddress, $0.count)
        }
      }
      reader.activate()
      return reader
    }
    // The daemon has read what all of them ask when it has answered one more.
    let last = try DaemonSocket.connect(to: socket)
    let question = frame(LinkCall("org.varlink.service.GetInfo").json)
    _ = send(last, question, question.count, Int32(MSG_NOSIGNAL))
    var answer: UInt8 = 0
    _ = read(last, &answer, 1)
    close(last)
    print("ready")
    fflush(nil)
    while true { withExtendedLifetime(readers) { _ = sleep(1000) } }
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

  /// As many bytes as a fix takes on the link.
  func send(_ epoch: Racer.Epoch) {
    let date = "\(epoch.time.seconds)"
    let message = Array((date + String(repeating: " ", count: 300 - date.utf8.count)).utf8)
    _ = Glibc.send(descriptor, message, message.count, Int32(MSG_NOSIGNAL))
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
