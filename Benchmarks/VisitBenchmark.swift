import Foundation
import LocationEngine
import LocationModel
import TestSupport

/// Compares visits with those of programs that look back over the whole day, on the same fixes.
///
/// `Benchmarks visits [FOLDER [PHONE…]]`, as `phones`; writes `docs/visit-quality.md`. The peers are
/// in the virtual environment that Scripts/bench.sh makes; without it, only ours is scored.
func measureVisits() throws {
  let days = try PhoneDay.chosen(CommandLine.arguments.dropFirst(2))
  guard !days.isEmpty else { return }
  let folder = try Peers.folder("visits")
  defer { try? FileManager.default.removeItem(at: folder) }
  let file = folder.appending(path: "days.json")
  let fixes = ["every": days, "fresh": days.map(\.withoutStaleFixes)].mapValues {
    $0.map(VisitDay.init)
  }
  try JSONEncoder().encode(fixes).write(to: file)
  let venv = Peers.packageRoot.appending(path: ".build/bench-venv/bin/python").path
  let python =
    FileManager.default.isExecutableFile(atPath: venv)
    ? venv : try Peers.program("python3", from: "python3")
  let script = Peers.packageRoot.appending(path: "Benchmarks/Visits/visit_peers.py").path
  let page = Peers.packageRoot.appending(path: "docs/visit-quality.md").path
  guard let printed = try run(URL(filePath: python), [script, file.path, page]) else {
    throw MissingPeer(text: "visit_peers.py does not run; its reason is above")
  }
  print(printed)
  for line in printed.split(separator: "\n") where line.hasPrefix("figure ") {
    let words = line.split(separator: " ")
    guard words.count == 3, let value = Double(words[2]) else { continue }
    try Figure.report("visits." + words[1], value, "", "visits, \(words[1])")
  }
}

extension PhoneDay {
  /// Without fixes that the system had kept for more than ten minutes when it delivered them: ours
  /// does not take such a one for a stay, and the peers, which see no delivery, could not know.
  fileprivate var withoutStaleFixes: PhoneDay {
    var day = self
    day.fixes.removeAll { $0.delivered.seconds(since: $0.fix.time) > 600 }
    return day
  }
}

/// What the script needs of a day; times are seconds since 1970.
private struct VisitDay: Encodable {
  struct DeliveredVisit: Encodable {
    var arrival: Double?
    var departure: Double?
  }

  var name: String
  var start: Double
  var end: Double
  /// Time, latitude, longitude, and accuracy in meters.
  var fixes: [[Double]]
  /// Where the carrier stayed: before, between, and after the trips.
  var stays: [[Double]]
  var visits: [DeliveredVisit]

  init(_ day: PhoneDay) {
    func seconds(_ time: UnixTime) -> Double { Double(time.nanoseconds) / 1e9 }
    name = day.name
    start = seconds(day.span.start)
    end = seconds(day.span.end)
    fixes = day.fixes.map {
      [
        seconds($0.fix.time), $0.fix.coordinate.latitude, $0.fix.coordinate.longitude,
        $0.fix.horizontalAccuracy,
      ]
    }
    let begins = [day.span.start] + day.trips.map(\.end)
    let ends = day.trips.map(\.start) + [day.span.end]
    stays = zip(begins, ends).map { [seconds($0), seconds($1)] }
    visits = []
    for visit in day.deliveredVisits() {
      let delivered = DeliveredVisit(
        arrival: visit.arrival.map(seconds), departure: visit.departure.map(seconds))
      // A departure repeats the arrival of its visit (VISIT-2).
      if visit.departure != nil, !visits.isEmpty, visits[visits.count - 1].departure == nil {
        visits[visits.count - 1] = delivered
      } else {
        visits.append(delivered)
      }
    }
  }
}
