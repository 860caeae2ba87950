import LocationModel

/// Declares the authorization that the app needs, for as long as the session is held.
public final class CLServiceSession: Sendable {
  /// The authorization that the app needs.
  @nonexhaustive
  public enum AuthorizationRequirement: Hashable {
    /// No authorization.
    case none
    /// Authorization while the app is in use.
    case whenInUse
    /// Authorization at any time.
    case always

    var goal: AuthorizationGoal {
      switch self {
      case .none: .none
      case .whenInUse: .whenInUse
      case .always: .always
      }
    }
  }

  private let link: SessionLink

  /// Opens a session; the person is asked if they have not yet answered.
  ///
  /// - Parameter authorization: The authorization that the app needs.
  public init(authorization: AuthorizationRequirement) {
    link = SessionLink(.open(authorization.goal, purposeKey: nil))
  }

  /// Opens a session that also needs full accuracy; the person is asked if they have not yet
  /// answered.
  ///
  /// - Parameters:
  ///   - authorization: The authorization that the app needs.
  ///   - fullAccuracyPurposeKey: The key of the text for the person in
  ///     `NSLocationTemporaryUsageDescriptionDictionary` of the app's property list.
  public init(authorization: AuthorizationRequirement, fullAccuracyPurposeKey: String) {
    link = SessionLink(.open(authorization.goal, purposeKey: fullAccuracyPurposeKey))
  }

  /// Ends the session and its diagnostics.
  public func invalidate() {
    link.invalidate()
  }

  /// The reasons why the app does not receive what it needs, as they change.
  public var diagnostics: Diagnostics { Diagnostics(link) }

  /// The reasons why the app does not receive what it needs, at one time.
  public struct Diagnostic {
    let flags: LocationModel.Diagnostics

    /// Whether the person denied the app authorization.
    public var authorizationDenied: Bool { flags.contains(.authorizationDenied) }

    /// Whether location services are switched off.
    public var authorizationDeniedGlobally: Bool { flags.contains(.authorizationDeniedGlobally) }

    /// Whether a policy forbids the app to use locations.
    public var authorizationRestricted: Bool { flags.contains(.authorizationRestricted) }

    /// Whether the person is being asked for authorization.
    public var authorizationRequestInProgress: Bool {
      flags.contains(.authorizationRequestInProgress)
    }

    /// Whether the app would have to be in use, and is not.
    public var insufficientlyInUse: Bool { flags.contains(.insufficientlyInUse) }

    /// Whether the app would have to hold another session.
    public var serviceSessionRequired: Bool { flags.contains(.serviceSessionRequired) }

    /// Whether full accuracy was needed and denied.
    public var fullAccuracyDenied: Bool { flags.contains(.fullAccuracyDenied) }

    /// Whether always was needed and denied.
    public var alwaysAuthorizationDenied: Bool { flags.contains(.alwaysAuthorizationDenied) }
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
