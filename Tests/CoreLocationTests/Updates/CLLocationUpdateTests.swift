import LocationModel
import Testing

@testable import CoreLocation

/// Reads the older name without a warning for every use of it.
private protocol OlderUpdate {
  var isStationary: Bool { get }
}

extension CLLocationUpdate: OlderUpdate {}

@Suite("An update of a live sequence")
struct CLLocationUpdateTests {
  @Test("LIVE-26: says by its older name, too, that the device stands", arguments: [true, false])
  func olderName(stands: Bool) {
    var update = LiveUpdate(fix: nil, diagnostics: .locationUnavailable)
    update.stationary = stands
    let older: any OlderUpdate = CLLocationUpdate(update)
    #expect(older.isStationary == stands)
    #expect(CLLocationUpdate(update).stationary == stands)
  }
}
