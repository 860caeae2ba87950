import LocationCoding
import LocationHost
import LocationModel
import LocationRadio

/// Reads files of observations into the map, a piece at a time.
enum MapImport {
  static func run(
    _ path: String, into store: inout MapStore, _ report: inout MapImportReport
  ) throws(Failure) {
    let file: InputFile
    do throws(Errno) { file = try InputFile(path) } catch {
      throw .refused(
        "\(path) cannot be opened: \(error.reason)", next: "check the path, and who may read it")
    }
    var reader = RadioImport(now: HostClock.now.unixTime)
    while case let piece = try Self.piece(of: file, path), !piece.isEmpty {
      try take(reader.read(piece), into: &store, &report)
      guard reader.isUnderstood else {
        throw .refused("\(path) is no file of a form that can be imported", next: forms)
      }
    }
    try take(reader.finish(), into: &store, &report)
    for refusal in reader.refusals.all { report.note(refusal.reason.rawValue, refusal.count) }
  }

  private static func take(
    _ observations: [RadioObservation], into store: inout MapStore, _ report: inout MapImportReport
  ) throws(Failure) {
    guard !observations.isEmpty else { return }
    report.observations += observations.count
    try store.learn(observations, &report)
  }

  private static func piece(
    of file: borrowing InputFile, _ path: String
  ) throws(Failure) -> [UInt8] {
    do throws(Errno) { return try file.piece() } catch {
      throw .refused("\(path) cannot be read: \(error.reason)", next: nil)
    }
  }

  private static let forms =
    "the forms are listed in docs/formats/radio-map.md; see locationctl help map"
}

/// What an import has done.
struct MapImportReport {
  /// Scans, placed transmitters, and rows that were read.
  var observations = 0
  /// What was not used, in the order in which it occurred first.
  private var refusals: [(reason: String, count: Int)] = []

  mutating func note(_ reason: String, _ count: Int = 1) {
    if let index = refusals.firstIndex(where: { $0.reason == reason }) {
      refusals[index].count += count
    } else {
      refusals.append((reason, count))
    }
  }

  func show(_ invocation: Invocation) {
    guard !invocation.has(.json) else {
      var line = JSONLine(type: "imported")
      line.add("observations", observations)
      line.add(
        "refused",
        objects: refusals.map { refusal in
          var line = JSONLine(type: "refusal")
          line.add("reason", refusal.reason)
          line.add("count", refusal.count)
          return line
        })
      return Output.standard.line(line.text)
    }
    Output.standard.line(
      "imported \(observations) \(observations == 1 ? "observation" : "observations")")
    for refusal in refusals {
      Output.standard.line("not used: \(refusal.count) × \(refusal.reason)")
    }
  }
}
