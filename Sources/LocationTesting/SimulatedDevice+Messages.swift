import CoreLocation
import LocationModel
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
  /// asked, why a session stays inactive, which limit is reached.
  ///
  /// Each message is written to standard error, once; one about an app begins with the app's
  /// identifier. The newest hundred are kept.
  ///
  /// ```swift
  /// #expect(device.messages.isEmpty)
  /// ```
  public var messages: [String] { log.messages }
}
