import Foundation
import LocationModel
import TestSupport

extension RadioSet {
  /// Every set that the folders hold.
  static func all(teaching: URL, asking: URL?) throws -> [RadioSet] {
    try museum(teaching, asking) + mall(teaching, asking) + survey(teaching, asking)
      + library(teaching, asking)
  }

  // MARK: The sets

  /// The walks of the museum: the scans of each, with the seconds since it began, by its name.
  static func museumWalks(
    in folder: URL
  ) throws -> [String: [(seconds: Double, placed: PlacedScan)]] {
    let scans = try placed("ipin2023-scans.csv.gz", in: folder, group: ["log", "t"]) { row in
      Coordinate(latitude: row.number("latitude"), longitude: row.number("longitude"))
    }
    return Dictionary(grouping: scans) { String($0.path) }.mapValues { walk in
      walk.map { (Double($0.group.dropFirst($0.path.count + 1)) ?? .nan, $0.placed) }
    }
  }

  /// A museum: without other recordings, the third round of each walk asks.
  private static func museum(_ teaching: URL, _ asking: URL?) throws -> [RadioSet] {
    let file = "ipin2023-scans.csv.gz"
    let known = try placed(file, in: teaching, group: ["log", "t"]) { row in
      Coordinate(latitude: row.number("latitude"), longitude: row.number("longitude"))
    }
    guard let asking else {
      return [
        RadioSet(
          name: "museum", teaching: known.filter { !$0.path.hasSuffix("rep03") },
          asking: known.filter { $0.path.hasSuffix("rep03") })
      ]
    }
    let asked = try placed(file, in: asking, group: ["log", "t"]) { row in
      Coordinate(latitude: row.number("latitude"), longitude: row.number("longitude"))
    }
    return [RadioSet(name: "museum", teaching: known, asking: asked)]
  }

  /// A mall, floor by floor, and then all floors in one map: without other recordings, every second
  /// path asks. The lowest floor has a frame of its own, so that its places lie beside where they are.
  private static func mall(_ teaching: URL, _ asking: URL?) throws -> [RadioSet] {
    let file = "xyz10-site1-scans.csv.gz"
    func read(_ folder: URL) throws -> [Grouped] {
      try placed(file, in: folder, group: ["floor", "path", "t"]) { row in
        local(row.number("x"), row.number("y"))
      }
    }
    let known = try read(teaching)
    let asked = try asking.map(read)
    let floors = Set(known.map { $0.group.prefix { $0 != " " } }).sorted()
    let sets = floors.map { floor in
      let mine = known.filter { $0.group.hasPrefix(floor + " ") }
      let paths = Set(mine.map(\.path)).sorted()
      let even = Set(paths.enumerated().filter { $0.offset % 2 == 0 }.map(\.element))
      return RadioSet(
        name: "mall-\(floor)",
        teaching: asked == nil ? mine.filter { even.contains($0.path) } : mine,
        asking: asked?.filter { $0.group.hasPrefix(floor + " ") }
          ?? mine.filter { !even.contains($0.path) })
    }
    let whole = RadioSet(
      name: "mall", teaching: sets.flatMap(\.teaching).sorted { $0.scan.time < $1.scan.time },
      asking: sets.flatMap(\.asking))
    return sets.isEmpty ? [] : sets + [whole]
  }

  /// One university floor, five months later.
  private static func survey(_ teaching: URL, _ asking: URL?) throws -> [RadioSet] {
    func read(_ day: String, _ folder: URL) throws -> [Grouped] {
      let files = ["rssis", "coordinates"].map {
        folder.appending(path: "uminho-dsi-\(day)-\($0).csv.gz")
      }
      guard let heard = try Table.lines(of: files[0]), let places = try Table.lines(of: files[1])
      else { return [] }
      return zip(heard, places).enumerated().compactMap { number, line in
        let place = line.1.split { $0 == "," || $0 == " " }.compactMap { Double($0) }
        guard place.count >= 2 else { return nil }
        // 134 days later.
        let time = start + .seconds(60 * number + (day.contains("07") ? 11_577_600 : 0))
        return Grouped(
          group: "\(number)",
          placed: PlacedScan(
            scan: RadioScan(stations(line.0), time: time), place: local(place[0], place[1])))
      }
    }
    return [
      RadioSet(
        name: "five-months", teaching: try read("2019-02-19", teaching),
        asking: try read("2019-07-03", asking ?? teaching))
    ]
  }

  /// A library: the first month teaches.
  private static func library(_ teaching: URL, _ asking: URL?) throws -> [RadioSet] {
    func read(_ folder: URL) throws -> [Grouped] {
      let rows = try Table.rows(of: folder.appending(path: "uji-library.csv.gz")) ?? []
      return rows.enumerated().map { number, row in
        let month = row["month"] ?? ""
        let time = start + .seconds(60 * number + 2_592_000 * (Int(month) ?? 0))
        return Grouped(
          group: month,
          placed: PlacedScan(
            scan: RadioScan(stations(row["heard"] ?? ""), time: time),
            place: local(row.number("x"), row.number("y")),
            floor: row["floor"].flatMap { Int8($0) }))
      }
    }
    let known = try read(teaching)
    let asked = try asking.map(read) ?? known.filter { $0.group != "01" }
    let months = Set(asked.map(\.group)).sorted()
    return months.map { month in
      RadioSet(
        name: "library-\(month)", teaching: known.filter { $0.group == "01" },
        asking: asked.filter { $0.group == month })
    }
  }

  // MARK: Reading

  /// A scan with the columns that name its group.
  struct Grouped {
    var group: String
    var placed: PlacedScan

    /// The group without its last column, the time.
    var path: Substring { group[..<(group.lastIndex(of: " ") ?? group.startIndex)] }
  }

  init(name: String, teaching: [Grouped], asking: [Grouped]) {
    self.init(name: name, teaching: teaching.map(\.placed), asking: asking.map(\.placed))
  }

  /// Reads a file of readings, one row each, and puts those of a group into one scan.
  private static func placed(
    _ file: String, in folder: URL, group: [String], _ place: ([String: String]) -> Coordinate
  ) throws -> [Grouped] {
    var scans: [Grouped] = []
    var walk = ""
    var walks = 0
    for row in try Table.rows(of: folder.appending(path: file)) ?? [] {
      let coordinate = place(row)
      guard coordinate.isValid, let address = address(row) else { continue }
      let name = group.map { row[$0] ?? "" }.joined(separator: " ")
      let path = group.dropLast().map { row[$0] ?? "" }.joined(separator: " ")
      if path != walk { (walk, walks) = (path, walks + 1) }
      let reading = RadioScan.Reading(
        .accessPoint(address), level: row.number("rssi"),
        frequency: row["frequency"].flatMap { Int($0) }, age: row["age"].flatMap(Double.init) ?? 0)
      if scans.last?.group == name {
        scans[scans.count - 1].placed.scan.readings.append(reading)
      } else {
        let time = start + .seconds(3600 * walks) + .seconds(row.number("t"))
        scans.append(
          Grouped(
            group: name,
            placed: PlacedScan(
              scan: RadioScan([reading], time: time), place: coordinate, floor: floor(row))))
      }
    }
    return scans
  }

  /// The address of a row. Where the recording says which box it belonged to, addresses of one box
  /// differ in the last four bits only, as they did before they were replaced by others.
  private static func address(_ row: [String: String]) -> BSSID? {
    guard let bits = UInt64((row["bssid"] ?? "").filter { $0 != ":" }, radix: 16) else {
      return nil
    }
    guard let box = row["radio"].flatMap({ UInt64($0, radix: 16) }) else { return BSSID(bits) }
    return BSSID(0x1000_0000_0000 | box << 8 | bits & 0xf)
  }

  /// A floor by its number, or as a mall calls it: `F1` at the ground, `B1` below.
  private static func floor(_ row: [String: String]) -> Int8? {
    guard let text = row["floor"] else { return nil }
    guard let number = Int8(text.drop { $0 == "F" || $0 == "B" }) else { return nil }
    if text.hasPrefix("F") { return number - 1 }
    return text.hasPrefix("B") ? -number : number
  }

  /// `STATION:LEVEL …`; a station is any word.
  static func stations(_ text: some StringProtocol) -> [RadioScan.Reading] {
    text.split { $0 == " " || $0 == "," }.compactMap { word in
      let parts = word.split(separator: ":")
      guard parts.count == 2, let level = Double(parts[1]), let station = UInt64(parts[0])
      else { return nil }
      // Far apart, so that no two are taken for one box.
      return RadioScan.Reading(.accessPoint(BSSID(0x1000_0000_0000 | station << 8)), level: level)
    }
  }

  private static func local(_ x: Double, _ y: Double) -> Coordinate {
    LocalFrame(center: Coordinate(latitude: 41.45, longitude: -8.3)).place(east: x, north: y)
  }

  static let start = UnixTime(seconds: 1_550_000_000)
}

extension [String: String] {
  func number(_ column: String) -> Double {
    self[column].flatMap(Double.init) ?? .nan
  }
}
