import LocationModel

/// Keeps the app in use while it is in the background, for as long as the session is held.
public final class CLBackgroundActivitySession: Sendable {
  private let link: SessionLink

  /// Begins the activity.
  public init() {
    link = SessionLink(.openBackgroundActivity)
  }

  /// Ends the session; its diagnostics end, too.
  public func invalidate() {
    link.invalidate()
  }

  /// Why the app does not get what it needs.
  public var diagnostics: Diagnostics { Diagnostics(link) }

  /// Why the app does not get what it needs, at one time.
  public struct Diagnostic {
    let flags: LocationModel.Diagnostics

    /// Whether the person denied the app.
    public var authorizationDenied: Bool { flags.contains(.authorizationDenied) }

    /// Whether location services are switched off.
    public var authorizationDeniedGlobally: Bool { flags.contains(.authorizationDeniedGlobally) }

    /// Whether a policy forbids the app to know.
    public var authorizationRestricted: Bool { flags.contains(.authorizationRestricted) }

    /// Whether the person is being asked.
    public var authorizationRequestInProgress: Bool {
      flags.contains(.authorizationRequestInProgress)
    }

    /// Whether the app would have to be in use.
    public var insufficientlyInUse: Bool { flags.contains(.insufficientlyInUse) }

    /// Whether the app would have to hold a `CLServiceSession`.
    public var serviceSessionRequired: Bool { flags.contains(.serviceSessionRequired) }
  }

  /// A sequence of diagnostics, which ends with the session.
  public final class Diagnostics: AsyncSequence {
    /// A diagnostic.
    public typealias Element = Diagnostic
    /// One iteration.
    public typealias AsyncIterator = Iterator

    private let link: SessionLink

    init(_ link: SessionLink) {
      self.link = link
    }

    /// Begins an iteration.
    ///
    /// - Returns: The iteration.
    public func makeAsyncIterator() -> Iterator {
      Iterator(link: link.diagnose())
    }

    /// One iteration.
    public struct Iterator: AsyncIteratorProtocol {
      /// A diagnostic.
      public typealias Element = Diagnostics.Element

      let link: DiagnosticsLink

      /// Waits for the next diagnostic.
      ///
      /// - Returns: The diagnostic; `nil` when the session has ended or the task is canceled.
      /// - Throws: Nothing; the signature is Apple's.
      public mutating func next() async throws -> Element? {
        await link.next().map(Diagnostic.init(flags:))
      }
    }
  }
}
