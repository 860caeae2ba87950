import Foundation
import LocationFleet
import LocationModel
import TestSupport
import Testing

/// The days of an iPhone and a Nexus that recorded without pause (shared/data/traces/mobilitynet), as the benchmarks
/// of visits and fences use them.
@Suite(
  "Recorded phones in a fleet",
  .enabled(if: SharedData.folder != nil, Comment(rawValue: SharedData.isMissing)))
struct RecordedFleetTests {
  @Test(
    "FLEET-120: recorded phones, mixed, swapped, and doubled, are judged as each alone is by the engine"
  )
  func sameAsAlone() throws {
    let folder = try SharedData.url("traces/mobilitynet").path
    let fleet = RecordedFleet(try PhoneDay.withoutPause(in: folder), radii: [100, 500])
    #expect(fleet.days.count == 23)
    let alone = fleet.alone(.dates)
    // No step that no body can take, for which the engine waits and a fleet does not.
    #expect(alone.ignored.isEmpty)
    let together = try fleet.together(.disturbed)
    #expect(Array(together.counts.rejected.keys) == [.duplicate])
    #expect(together.counts.rejected[.duplicate, default: 0] > 1000)
    let comparison = EventComparison(alone.events, with: together.events)
    #expect(comparison.differences == 0, "\(comparison.shifts) s")
    #expect(comparison.same == alone.events.joined().count)
    #expect(comparison.same > 1500)
    for kind in [FleetEvent.Kind.found, .entered, .exited, .arrived, .departed, .moved] {
      #expect(alone.events.joined().contains { $0.kind == kind }, "\(kind)")
    }
    // One left its first place before its arrival there was certain.
    let unseen = together.events.joined().count { $0.kind == .departed && $0.visit?.arrival == nil }
    #expect(unseen == 1)
    #expect(fleet.falseExits(in: together.events) == 0)
  }
}
