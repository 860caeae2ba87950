package import LocationModel

/// The diagnostics that keep an app from its conditions. They differ between regions and monitors
/// where only one of the two depends on sessions (REG-33, MON-38, SESS-10).
package struct ConditionAccess: Hashable, Sendable {
  package var regions: ConditionDiagnostics
  /// Also delivered to monitors (MON-33, MON-34).
  package var monitors: ConditionDiagnostics

  package init(_ all: ConditionDiagnostics = []) {
    regions = all
    monitors = all
  }

  /// Whether the app may not know the location at all, or nobody has decided that yet.
  var isBarred: Bool { !regions.isDisjoint(with: Self.bars) }

  private static let bars: ConditionDiagnostics = [
    .authorizationDenied, .authorizationDeniedGlobally, .authorizationRestricted,
    .authorizationRequestInProgress,
  ]

  subscript(owner: ConditionOwner) -> ConditionDiagnostics {
    switch owner {
    case .regions: regions
    case .monitor: monitors
    }
  }
}
