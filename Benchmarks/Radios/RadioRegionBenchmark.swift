import Foundation
import LocationModel
import LocationRadio
import LocationSecrets

/// What is known of a cell's place by its area or its country.
///
/// No shared recording has two base stations of one area, so that areas are measured by their time alone; how often
/// their radius holds is a test (RADIO-70).
enum RadioRegionBenchmark {
  /// Asks a map without these cells where they are.
  static func reportCountry(_ sets: [RadioSet]) throws {
    var map = RadioMap(secret: SecretKey(seed: 7))
    var (errors, radii, held) = ([Double](), [Double](), 0)
    for placed in sets.flatMap(\.asking) {
      map = RadioMap(secret: SecretKey(seed: 7))
      guard let region = region(of: placed.scan, in: &map) else { continue }
      let error = LocalFrame(center: placed.place).distance(to: region.coordinate)
      errors.append(error / 1000)
      radii.append(region.horizontalAccuracy / 1000)
      if error <= region.horizontalAccuracy { held += 1 }
    }
    guard !errors.isEmpty else { return }
    for (name, value, unit) in [
      ("median", errors.median, "km"), ("p90", errors.quantile(0.9), "km"),
      ("held", 100 * Double(held) / Double(errors.count), "%"), ("radius", radii.median, "km"),
    ] {
      try Figure.report("radios.cell-country.\(name)", value, unit, "cell-country, \(name)")
    }
  }

  /// How long a scan takes whose cell is not known, with as many listed cells as a map may hold, a fifth of them in its
  /// area.
  static func reportTime() throws {
    var map = RadioMap(secret: SecretKey(seed: 7))
    let home = LocalFrame(center: Coordinate(latitude: 50.8, longitude: 4.4))
    let list = (1...UInt64(PlacedStations.most)).map { number -> RadioObservation in
      let (east, north) = (Double(number % 400) * 250, Double(number / 400) * 400)
      let known = PlacedStations.Place(
        home.place(east: east, north: north), range: 1000, day: 19_000)
      return .placed(.cell(cell(number, area: number % 5 == 0 ? 1 : Int(number % 997) + 2)), known)
    }
    let start = PlacedScan.moment(UnixTime(seconds: 1_750_000_000))
    map.learn(list, at: start)
    let clock = ContinuousClock()
    let scans = 1000
    let time = clock.measure {
      for number in 0..<scans {
        let reading = RadioScan.Reading(
          .cell(cell(UInt64(200_000 + number), area: 1)), level: -90, isServing: true)
        let scan = RadioScan([reading], time: start.unixTime)
        _ = map.handle(.scan(scan, from: ProviderID(0)), at: start)
      }
    }
    try Figure.report(
      "radios.cell-area.scan", time.inSeconds * 1e6 / Double(scans), "µs",
      "cell-area, a scan with 100,000 listed cells")
  }

  private static func cell(_ number: UInt64, area: Int) -> CellIdentity {
    CellIdentity(radio: .lte, country: 206, network: 1, area: area, cell: number << 8 | 1)
  }

  private static func region(of scan: RadioScan, in map: inout RadioMap) -> Fix? {
    let moment = PlacedScan.moment(scan.time)
    _ = map.handle(.scan(scan, from: ProviderID(0)), at: moment)
    for case .fix(let fix, _) in map.handle(.wake, at: moment) { return fix }
    return nil
  }
}
