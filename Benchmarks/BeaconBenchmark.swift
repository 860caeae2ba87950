import Foundation
import TestSupport

/// Measures how often the proximity class is right on the shared sets of signal strengths: as
/// shipped, with each receiver calibrated, and if every beacon were near (docs/decisions/0090).
func measureBeaconClasses() throws {
  guard SharedData.folder != nil else { throw MissingPeer(text: "\(SharedData.isMissing)") }
  for set in RecordedSet.all {
    let result = try RangingComparison(of: set, otherOrders: 8)
    let (learned, calibrated) = (result.learned, result.calibrated)
    print(
      "\(set.name): \(learned.reports) reports with a signal, \(learned.silent) silent seconds")
    let name = "beacons.\(set.name.lowercased())"
    try Figure.report(
      "\(name).shipped", learned.right, "%",
      "  shipped default, \(learned.wins) wins and \(learned.losses) losses against near")
    try Figure.report(
      "\(name).calibrated", calibrated.right, "%",
      "  calibrated, \(calibrated.wins) wins and \(calibrated.losses) losses against near")
    try Figure.report("\(name).near", learned.alwaysNear, "%", "  near, always")
    try Figure.report("\(name).before", result.ideal.right, "%", "  limits of free space")
    let orders = result.otherOrders.map { String(format: "%+.1f", $0) }
    print("  learned in other orders, against near: \(orders.joined(separator: ", "))")
  }
}
