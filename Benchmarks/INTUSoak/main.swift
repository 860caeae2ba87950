import CoreLocation
import Foundation
import INTULocationManager
import LocationModel
import TestSupport

/// Runs random schedules of requests in virtual time, each from its own seed, until one breaks a
/// promise: `swift run -c release INTUSoak [SCHEDULES] [FIRST-SEED]`.
///
/// Every schedule ends by letting time pass and canceling what waits for ever; then nobody may
/// wait and nothing may be switched on.
let arguments = CommandLine.arguments.dropFirst().compactMap { UInt64($0) }
let count = arguments.first ?? 10_000_000
let firstSeed = arguments.dropFirst().first ?? 1

let clock = ContinuousClock()
let start = clock.now
var tally = Tally()
for seed in firstSeed..<firstSeed + count {
  var schedule = Schedule(seed: seed)
  do throws(Violation) {
    try schedule.run()
  } catch {
    print("seed \(seed): \(error)")
    exit(1)
  }
  tally.add(schedule.observer.fates)
}
let seconds = (clock.now - start) / .seconds(1)
print("\(count) schedules from seed \(firstSeed): all rules kept, every coordinator idle")
print("\(tally.requests) requests: \(tally.answered) answered, \(tally.forgotten) forgotten")
print(String(format: "%.1f s, %.0f schedules a second", seconds, Double(count) / seconds))

/// What became of all requests.
struct Tally {
  var requests = 0
  var answered = 0
  var forgotten = 0

  mutating func add(_ fates: [RequestObserver.Fate]) {
    for fate in fates {
      requests += 1
      switch fate {
      case .answered: answered += 1
      case .forgotten: forgotten += 1
      case .live: preconditionFailure("a request is live although its coordinator is idle")
      }
    }
  }
}
