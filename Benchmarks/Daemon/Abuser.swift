import Glibc
import LocationCoding
import LocationHost
import LocationLink
import LocationModel

/// A client that takes more than its share, and begins again when it is cut off; a program of its
/// own, as in `DaemonClients.swift`.
enum Abuser {
  static let name = "--abuser"

  enum Kind: String, CaseIterable {
    /// Asks for nothing, and keeps a processor busy: what others notice of that is the computer's.
    case spins
    /// Asks for much, and never reads it.
    case neverReads
    /// Connects without end.
    case floods
    /// Sends what is no message, and has no end.
    case babbles
    /// Begins one stream after the other.
    case streams
    /// Changes what must be stored durably, as fast as it is taken.
    case stores
  }

  static func run(_ socket: String, _ kind: Kind) -> Never {
    while kind == .spins {}
    while true {
      guard let descriptor = try? DaemonSocket.connect(to: socket) else {
        usleep(1000)
        continue
      }
      Abuse(descriptor).commit(kind)
      close(descriptor)
    }
  }
}

private struct Abuse {
  private let descriptor: Int32

  init(_ descriptor: Int32) {
    self.descriptor = descriptor
  }

  func commit(_ kind: Abuser.Kind) {
    switch kind {
    case .spins, .floods: break
    case .babbles: while say([UInt8](repeating: UInt8(ascii: "x"), count: 32_768)) {}
    case .neverReads:
      let name = String(repeating: "n", count: 4000)
      let add = MonitorRequest.add(identifier: name, .unsupported, assuming: .unknown)
      guard open(), ask(Self.monitor(.open(name: "m"))) else { return }
      while ask(Self.monitor(add)) {}
    case .streams:
      guard open() else { return }
      var number: UInt32 = 0
      repeat { number += 1 } while ask(.live(SubscriberID(number), .start(LiveOptions())))
    case .stores:
      guard open(), ask(Self.monitor(.open(name: "m"))) else { return }
      var radius = 100.0
      repeat {
        radius += 1
        readAll()
      } while ask(Self.monitor(Self.circle(radius)))
    }
  }

  private static func monitor(_ request: MonitorRequest) -> Request {
    .monitor(SubscriberID(1), request)
  }

  private static func circle(_ radius: Double) -> MonitorRequest {
    let circle = Circle(center: Coordinate(latitude: 1, longitude: 2), radius: radius)
    return .add(identifier: "far", .circle(circle), assuming: .unknown)
  }

  private func open() -> Bool {
    let open = LinkCall(
      "\(LinkInterface.name).Open", .fields(["version": .integer(1)]), wantsMore: true)
    return say(frame(open.json))
  }

  private func ask(_ request: Request) -> Bool {
    let call = LinkCall(
      "\(LinkInterface.name).Ask", .fields(["request": request.json]), isOneway: true)
    return say(frame(call.json))
  }

  private func say(_ bytes: [UInt8]) -> Bool {
    send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
  }

  private func readAll() {
    withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 16) {
      while recv(descriptor, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT)) > 0 {}
    }
  }
}
