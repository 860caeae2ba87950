import LocationModel
import LocationService
import TestSupport
import Testing

@Suite("Which sources are open")
struct SourceSelectionTests {
  private static let cell = 0
  private static let network = 1
  private static let satellite = 2
  /// Beacons, which give no position.
  private static let beacons = 3
  private var selection = SourceSelection([.cell, .network, .satellite, nil])
  private var now = Instant.start

  private var open: [Int] { (0..<4).filter { selection.isSelected($0) } }

  private mutating func need(_ tier: PositionTier?, every interval: Duration = .zero) {
    selection.settle(tier.map { PositionDemand(tier: $0, interval: interval) }, at: now)
  }

  private mutating func pass(_ seconds: Int) {
    now = now + .seconds(seconds)
    selection.wake(at: now)
  }

  @Test("POW-1: are those up to the tier of the accuracy that is wanted, and none without a demand")
  mutating func tiers() {
    #expect(open.isEmpty)
    need(.cell)
    #expect(open == [Self.cell])
    need(.network)
    #expect(open == [Self.cell, Self.network])
    need(.satellite)
    #expect(open == [Self.cell, Self.network, Self.satellite])
    need(.navigation)
    #expect(open == [Self.cell, Self.network, Self.satellite])
    need(nil)
    #expect(open.isEmpty && selection.nextDeadline == nil)
  }

  @Test("POW-2: never include a receiver while cells or Wi-Fi give positions")
  mutating func cheaper() {
    need(.network)
    for _ in 0..<1000 {
      pass(20)
      selection.notePosition(from: Self.network, at: now)
      #expect(open == [Self.cell, Self.network])
    }
  }

  @Test("POW-1: include costlier ones only while the cheaper ones give no position")
  mutating func costlier() {
    need(.cell)
    pass(29)
    #expect(open == [Self.cell])
    pass(1)
    #expect(open == [Self.cell, Self.network])
    pass(30)
    #expect(open == [Self.cell, Self.network, Self.satellite])
    #expect(selection.nextDeadline == nil, "there is nothing more to open")
    selection.notePosition(from: Self.satellite, at: now)
    #expect(open == [Self.cell, Self.network, Self.satellite])
    selection.notePosition(from: Self.cell, at: now)
    #expect(open == [Self.cell])
  }

  @Test("POW-1: do not wait for a source that cannot give positions")
  mutating func unavailable() {
    need(.cell)
    selection.note(.unavailable(.missing("no modem")), of: Self.cell, at: now)
    #expect(open == [Self.cell, Self.network])
    selection.note(.unavailable(.noDevice), of: Self.network, at: now)
    #expect(open == [Self.cell, Self.network, Self.satellite])
    selection.note(.searching, of: Self.network, at: now)
    selection.notePosition(from: Self.network, at: now)
    #expect(open == [Self.cell, Self.network])
  }

  @Test("give positions no later than the interval that was asked for, and some seconds")
  mutating func interval() {
    need(.cell, every: .seconds(300))
    selection.notePosition(from: Self.cell, at: now)
    pass(329)
    #expect(open == [Self.cell])
    pass(1)
    #expect(open == [Self.cell, Self.network])
  }

  @Test("are the cheapest there are, where no source is as cheap as the demand")
  mutating func alone() {
    selection = SourceSelection([nil, .satellite])
    need(.cell)
    #expect(selection.isSelected(1) && !selection.isSelected(0))
    #expect(!selection.hasChoice && selection.nextDeadline == nil)
  }

  @Test("stay open until cheaper ones give a position, also when the demand changes")
  mutating func changed() {
    need(.cell)
    pass(30)
    pass(30)
    need(.network)
    #expect(open == [Self.cell, Self.network, Self.satellite])
    selection.notePosition(from: Self.network, at: now)
    #expect(open == [Self.cell, Self.network])
  }

  @Test("stay open when a demand of the same tier changes its interval")
  mutating func sameTier() {
    need(.cell)
    pass(30)
    need(.cell, every: .seconds(10))
    #expect(open == [Self.cell, Self.network])
  }
}
