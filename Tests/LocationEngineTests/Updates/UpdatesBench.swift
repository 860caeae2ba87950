import LocationEngine
import LocationModel
import TestSupport

/// Fixes and words that the tests of the update services share.
enum UpdatesBench {
  static let home = Coordinate(latitude: 59.33, longitude: 18.07)

  /// A fix so many meters east of home.
  static func fix(
    east meters: Double = 0, radius: Double = 5, at now: Moment, age: Double = 0
  ) -> Fix {
    Fix(
      coordinate: home.moved(by: meters, towards: 90), horizontalAccuracy: radius,
      time: now.unixTime - .seconds(age))
  }

  static func line(_ delivery: UpdatesDelivery) -> String {
    switch delivery {
    case .fixes(let fixes): fixes.map(place).joined(separator: ", ")
    case .failed(let failure): "failed \(failure)"
    case .paused: "paused"
    case .resumed: "resumed"
    case .deferralFinished(let fault): "deferral \(fault.map { "\($0)" } ?? "ends")"
    }
  }

  static func line(_ update: LiveUpdate) -> String {
    let location = update.fix.map(place) ?? "no location"
    let still = update.stationary ? " stationary" : ""
    let flags = update.diagnostics.isEmpty ? "" : " \(update.diagnostics)"
    return location + still + flags
  }

  private static func place(_ fix: Fix) -> String {
    let meters = fix.coordinate.distance(to: home).rounded()
    return "\(Int(meters)) m"
  }
}

extension Bench<StandardUpdates> {
  mutating func fix(
    east meters: Double = 0, radius: Double = 5, age: Double = 0
  ) {
    send(.fix(UpdatesBench.fix(east: meters, radius: radius, at: now, age: age)))
  }
}

extension Bench<LiveUpdates> {
  mutating func fix(east meters: Double = 0) {
    send(.fix(UpdatesBench.fix(east: meters, at: now)))
  }
}
