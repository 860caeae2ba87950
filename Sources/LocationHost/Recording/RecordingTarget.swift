package import LocationRecording

/// Where the flight recorder writes, and what encrypts it.
package struct RecordingTarget: Sendable {
  package enum Protection: Sendable {
    /// The keys that lie beside the host's state.
    case state
    case keys(SealedRecording.Keys)
    /// None: whoever has the file can read it.
    case none
  }

  package var path: String
  package var protection: Protection

  package init(_ path: String, _ protection: Protection) {
    (self.path, self.protection) = (path, protection)
  }

  /// Reads `FILE`, or `plain:FILE` for a recording that is not encrypted; `nil` for no text.
  package init?(text: String) {
    guard !text.isEmpty, text != Self.plain else { return nil }
    if text.hasPrefix(Self.plain) {
      self.init(String(text.dropFirst(Self.plain.count)), .none)
    } else {
      self.init(text, .state)
    }
  }

  private static let plain = "plain:"
}

extension StateFolder {
  /// The keys of recordings that lie beside this state; none if there are none.
  ///
  /// - Throws: `StoreError` with why they cannot be read.
  package var recordingsKeys: SealedRecording.Keys {
    get throws(StoreError) {
      let secrets = self == .ofSystem ? nil : HostEnvironment.current.secrets
      return try StateSeal.existing(beside: file, secrets: secrets)?.recordings ?? [:]
    }
  }
}
