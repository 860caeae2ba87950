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
    let sets = try RecordedSet.all.map { try RangingComparison(of: $0, otherOrders: 1) }
    #expect(
      sets.map(Self.row).joined(separator: "\n") == """
        mit-matrix: 452 | 56.2 | 64.8 | 65.9 | 63.3 | 12 5 | 57 45 | 0
        pact-range-angle: 1438 | 39.4 | 79.6 | 79.6 | 79.3 | 4 1 | 59 56 | 9
        HH: 1681 | 22.1 | 76.0 | 80.3 | 67.9 | 137 0 | 221 12 | 12
        HP: 1564 | 21.4 | 66.6 | 74.3 | 64.9 | 26 0 | 247 100 | 0
        PB: 1945 | 17.8 | 62.9 | 64.7 | 62.5 | 8 0 | 45 3 | 181
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
    return "\(set.name): \(learned.reports) | " + shares.joined(separator: " | ")
      + " | \(learned.wins) \(learned.losses) | \(calibrated.wins) \(calibrated.losses)"
      + " | \(learned.silent)"
  }

  private static func text(_ number: Double) -> String { String(format: "%.1f", number) }
}
