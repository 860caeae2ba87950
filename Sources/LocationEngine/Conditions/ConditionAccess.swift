package import LocationModel

/// What keeps an app from its conditions. Regions and monitors differ where only the one lives by
/// sessions (REG-33, MON-38, SESS-10).
package struct ConditionAccess: Hashable, Sendable {
  package var regions: ConditionDiagnostics
  /// Told to monitors, too (MON-33, MON-34).
  package var monitors: ConditionDiagnostics

  package init(_ all: ConditionDiagnostics = []) {
    regions = all
    monitors = all
  }

  subscript(owner: ConditionOwner) -> ConditionDiagnostics {
    switch owner {
    case .regions: regions
    case .monitor: monitors
    }
  }
}
