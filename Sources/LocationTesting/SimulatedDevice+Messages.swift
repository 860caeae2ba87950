import CoreLocation
import LocationModel
import LocationSimulation
import Synchronization

/// What a device has said to the developers of its apps, each text once.
final class MessageLog: Sendable {
  private let kept = Mutex<[String]>([])

  var messages: [String] { kept.withLock { $0 } }

  /// Keeps a message and writes it to standard error as an ordinary process does, unless it is kept
  /// already.
  func say(_ message: String) {
    let isNew = kept.withLock { kept in
      guard !kept.contains(message) else { return false }
      if kept.count == Self.most { kept.removeFirst() }
      kept.append(message)
      return true
    }
    guard isNew else { return }
    let line = "CoreLocation: \(message.escapedForDisplay(limit: 4096))\n"
    FileHandle.standardError.write(Data(line.utf8))
  }

  /// Chosen: more than a person reads.
  private static let most = 100
}

extension SimulatedDevice {
  /// What the device has said to the developers of its apps, in order (SIM-27): why no question is
  /// asked, why a session stays inactive, which limit is reached; what of a test it does not do,
  /// because a number is not a place, a speed, or a time (SIM-28); and that nobody calls `advance` (SIM-31).
  ///
  /// Each message is written to standard error, once; one about an app begins with the app's
  /// identifier. The newest hundred are kept.
  ///
  /// ```swift
  /// #expect(device.messages.isEmpty)
  /// ```
  public var messages: [String] { log.messages }

  /// Says what of a journey is not as asked for; returns whether it leads anywhere.
  func accepts(_ journey: Journey) -> Bool {
    for warning in journey.warnings { log.say("a route: \(warning)") }
    return journey.isSomewhere
  }

  /// Returns whether this is a place on Earth; says what happens where it is none.
  func accepts(_ place: CLLocationCoordinate2D, otherwise: String) -> Bool {
    guard let fault = Coordinate(place).fault else { return true }
    log.say("\(fault): \(otherwise)")
    return false
  }
}
