import Foundation
import LocationModel
import TestSupport

extension RadioSet {
  /// Walks in a city, a town, and a village, with the serving cell and its neighbors: without other
  /// recordings, the last round of each asks.
  static func cells(teaching: URL, asking: URL?) throws -> [RadioSet] {
    let known = try walks(in: teaching)
    let asked = try asking.map { try walks(in: $0) }
    let places = Set(known.map { $0.group.prefix { $0 != "_" } }).sorted()
    return places.map { place in
      let mine = known.filter { $0.group.hasPrefix(place + "_") }
      let last = mine.map(\.group).max()
      return RadioSet(
        name: "cell-\(place)",
        teaching: asked == nil ? mine.filter { $0.group != last } : mine,
        asking: asked?.filter { $0.group.hasPrefix(place + "_") }
          ?? mine.filter { $0.group == last })
    }
  }

  private static func walks(in folder: URL) throws -> [Grouped] {
    let rows = try Table.rows(of: folder.appending(path: "uclouvain-lte-walks.csv.gz")) ?? []
    return rows.compactMap { row in
      let place = Coordinate(latitude: row.number("latitude"), longitude: row.number("longitude"))
      guard place.isValid, let walk = row["walk"], let cell = UInt64(row["cell"] ?? ""),
        let time = try? Date(row["time", default: ""] + "Z", strategy: .iso8601)
      else { return nil }
      let serving = CellIdentity(
        radio: .lte, country: Int(row["mcc"] ?? "") ?? 0, network: Int(row["mnc"] ?? "") ?? 0,
        area: row["tac"].flatMap { Int($0) }, cell: cell)
      let readings =
        [RadioScan.Reading(.cell(serving), level: row.number("rsrp"), isServing: true)]
        + neighbors(row["neighbours"] ?? "")
      return Grouped(
        group: walk,
        placed: PlacedScan(
          scan: RadioScan(readings, time: UnixTime(seconds: time.timeIntervalSince1970)),
          place: place))
    }
  }

  /// `PCI/EARFCN:RSRP …`
  private static func neighbors(_ text: String) -> [RadioScan.Reading] {
    text.split(separator: " ").compactMap { word in
      let parts = word.split { $0 == "/" || $0 == ":" }
      guard parts.count == 3, let physical = Int(parts[0]), let channel = Int(parts[1]),
        let level = Double(parts[2])
      else { return nil }
      return RadioScan.Reading(
        .neighbor(CellChannel(radio: .lte, channel: channel, physical: physical)), level: level)
    }
  }
}
