/// Names one provider of observations, in the order the sources were given.
package struct ProviderID: Hashable, Comparable, Sendable {
  package var index: Int

  package init(_ index: Int) {
    self.index = index
  }

  package static func < (left: ProviderID, right: ProviderID) -> Bool { left.index < right.index }
}

/// What a provider says of itself when it has no fix to give.
package enum ProviderStatus: Hashable, Sendable {
  /// Nobody needs it; its device is closed.
  case idle
  /// The device is open, or being opened, and there is no fix yet.
  case searching
  /// Fixes come.
  case working
  /// No fix can come now, and why.
  case unavailable(Reason)

  /// Why a provider can give nothing, with what a person needs to mend it.
  package enum Reason: Hashable, Sendable {
    /// Nothing listens there, or the connection ended.
    case unreachable(String)
    /// There is no way to it: no network, or none that leads there (STD-33).
    case noNetwork(String)
    /// The system refused to open it.
    case noPermission(String)
    /// The file or device is not there.
    case missing(String)
    /// gpsd runs and has no receiver.
    case noDevice
    /// Bytes come that make no sense at this baud rate.
    case garbled
    /// What was read is not what it should be; names file, line, and cause.
    case malformed(String)
    /// A recording came to its end.
    case ended
    /// The source is not one of positions, such as a compass.
    case noPositions
  }
}

extension ProviderStatus.Reason {
  /// The reason in words for a person.
  package var text: String {
    switch self {
    case .unreachable(let text), .noNetwork(let text), .noPermission(let text), .missing(let text),
      .malformed(let text):
      text
    case .noDevice: "gpsd runs and has no receiver"
    case .garbled: "bytes come that are no sentences: wrong baud rate, or another protocol"
    case .ended: "the recording came to its end"
    case .noPositions: "this source has no positions"
    }
  }
}
