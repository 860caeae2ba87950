import Foundation
import TestSupport
import Testing

@Suite("The quality of ranging")
struct RangingQualityTests {
  // The same table, with what it means, stands in docs/decisions/0090.
  @Test(
    "BEACON-26: is what the decision states on every shared set, and never below near, always",
    .enabled(if: SharedData.folder != nil, "\(SharedData.isMissing)"))
  func table() throws {
    let sets = try RecordedSet.all.map { try RangingComparison(of: $0) }
    #expect(
      sets.map(Self.row).joined(separator: "\n") == """
        """)
    for set in sets {
      #expect(set.learned.right > set.learned.alwaysNear, "\(set.name)")
      #expect(set.calibrated.right > set.calibrated.alwaysNear, "\(set.name)")
      #expect(set.otherOrders.allSatisfy { $0 > -0.5 }, "\(set.name): \(set.otherOrders)")
    }
  }

  private static func row(_ set: RangingComparison) -> String {
    let (learned, calibrated) = (set.learned, set.calibrated)
    let shares = [set.ideal.right, learned.right, calibrated.right, learned.alwaysNear].map(text)
    let orders = [set.otherOrders.min() ?? 0, set.otherOrders.max() ?? 0].map(text)
    return "\(set.name): \(learned.reports) | " + shares.joined(separator: " | ")
      + " | \(learned.wins) \(learned.losses) | \(calibrated.wins) \(calibrated.losses) | "
      + orders.joined(separator: " ") + " | \(learned.silent)"
  }

  private static func text(_ number: Double) -> String { String(format: "%.1f", number) }
}
