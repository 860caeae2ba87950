import LocationModel
import LocationProviders
import TestSupport
import Testing

@Suite("How often scans are asked for")
struct ScanSpacingTests {
  private func readings(_ levels: [UInt64: Double?]) -> [RadioScan.Reading] {
    levels.sorted { $0.key < $1.key }
      .map { RadioScan.Reading(.accessPoint(BSSID($0.key)), level: $0.value) }
  }

  @Test("RADIO-5: is moving until something was heard twice, then slow, then resting")
  func states() {
    var spacing = ScanSpacing()
    let home = readings([1: -50, 2: -60, 3: -70])
    #expect(spacing.movement == .moving)
    spacing.note(home)
    #expect(spacing.movement == .moving)
    spacing.note(home)
    #expect(spacing.movement == .slow)
    spacing.note(readings([1: -52, 2: -58, 3: -71]))
    #expect(spacing.movement == .resting)
    spacing.note(readings([1: -80, 4: -50, 5: -60]))
    #expect(spacing.movement == .moving)
    #expect(spacing.shortest == .seconds(10))
  }

  @Test("RADIO-5: hearing nothing is neither rest nor movement")
  func silence() {
    var spacing = ScanSpacing()
    for _ in 0..<5 { spacing.note([]) }
    #expect(spacing.movement == .slow)
  }

  @Test(
    "RADIO-5: nine of ten scans at one place count as slow or rest, and most on a walk do not as rest",
    .enabled(if: SharedData.folder != nil, "\(SharedData.isMissing)"))
  func recordings() throws {
    let resting = try Self.atOnePlace()
    #expect(resting.count > 300)
    let quiet = resting.count { $0 != .moving }
    #expect(Double(quiet) >= 0.9 * Double(resting.count), "\(quiet) of \(resting.count)")
    let walking = try Self.onWalks()
    #expect(walking.count > 250)
    let mistaken = walking.count { $0 == .resting }
    #expect(Double(mistaken) <= 0.2 * Double(walking.count), "\(mistaken) of \(walking.count)")
  }

  /// What every third and later scan at one place of UMinho's second survey counts as.
  private static func atOnePlace() throws -> [ScanSpacing.Movement] {
    let name = "wifi/uminho-dsi-2019-07-03"
    let places = try SharedData.lines("\(name)-coordinates.csv.gz")
    let scans = try SharedData.lines("\(name)-rssis.csv.gz")
    var movements: [ScanSpacing.Movement] = []
    var (spacing, place, count) = (ScanSpacing(), Substring(), 0)
    for (here, scan) in zip(places, scans) {
      if here != place { (spacing, place, count) = (ScanSpacing(), here, 0) }
      spacing.note(
        scan.split(separator: ",").compactMap { field in
          let parts = field.split(separator: ":")
          guard parts.count == 2, let id = UInt64(parts[0]), let level = Double(parts[1]) else {
            return nil
          }
          return RadioScan.Reading(.accessPoint(BSSID(id)), level: level)
        })
      count += 1
      if count >= 3 { movements.append(spacing.movement) }
    }
    return movements
  }

  /// What scans that are ten seconds apart count as on the walks through a museum.
  private static func onWalks() throws -> [ScanSpacing.Movement] {
    var movements: [ScanSpacing.Movement] = []
    var (spacing, walk, last) = (ScanSpacing(), Substring(), -1000.0)
    var (readings, time) = ([RadioScan.Reading](), -1.0)
    for line in try SharedData.lines("wifi/ipin2023-scans.csv.gz").dropFirst() {
      let fields = line.split(separator: ",")
      guard fields.count == 9, let at = Double(fields[1]), let level = Double(fields[8]),
        let address = UInt64(fields[6].filter { $0 != ":" }, radix: 16)
      else { continue }
      if fields[0] != walk || at != time {
        if time - last >= 10, !readings.isEmpty {
          spacing.note(readings)
          movements.append(spacing.movement)
          last = time
        }
        (readings, time) = ([], at)
      }
      if fields[0] != walk { (spacing, walk, last) = (ScanSpacing(), fields[0], -1000) }
      readings.append(RadioScan.Reading(.accessPoint(BSSID(address)), level: level))
    }
    return movements
  }
}
