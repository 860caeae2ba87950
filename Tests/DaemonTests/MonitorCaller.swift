import Foundation
import LocationCoding
import LocationLink
import LocationModel

/// An app that monitors, and speaks the link by hand.
final class MonitorCaller {
  private let caller: LinkCaller

  init(_ socket: String) throws {
    caller = try LinkCaller(socket)
    _ = try caller.call("\(LinkInterface.name).Open", .fields(["version": .integer(1)]), more: true)
  }

  func ask(_ request: MonitorRequest) {
    let request = Request.monitor(SubscriberID(1), request)
    caller.send(
      frame(
        LinkCall("\(LinkInterface.name).Ask", .fields(["request": request.json]), isOneway: true)
          .json))
  }

  func add(_ name: String) {
    let circle = Circle(center: Coordinate(latitude: 40, longitude: 10), radius: 100)
    ask(.add(identifier: name, .circle(circle), assuming: .unknown))
  }

  /// The names in the list that follows so many requests.
  func names(after requests: Int) throws -> [String] {
    while true {
      guard let json = try caller.reply().parameters["delivery"],
        case .monitor(_, .records(requests, let records)) = try Delivery(json: json)
      else { continue }
      return records.map(\.identifier).sorted()
    }
  }

  /// Whether a word has come that was not read yet.
  func hasReceived(_ word: String) -> Bool {
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    let count = recv(
      caller.descriptor, &bytes, bytes.count, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).contains(word)
  }

  func isCutOff() -> Bool { caller.isCutOff() }
}

/// States of other versions, in git.
enum StateFixture {
  static func path(_ name: String) -> String {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Fixtures/state/\(name)").path
  }
}
