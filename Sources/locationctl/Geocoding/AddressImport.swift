import FoundationEssentials
import LocationCoding
import LocationGeocoding
import LocationModel

/// Makes an address index from an OpenStreetMap extract, for `geocode import`.
struct AddressImport {
  private let extract: String
  private let output: String
  private let isJSON: Bool

  /// The operands are the word import and the extract; without an output the index that geocoding
  /// asks is made.
  init(_ invocation: Invocation, output: String?) throws(Failure) {
    guard let extract = invocation.operand(1) else {
      throw invocation.usage("FILE is missing: an OpenStreetMap extract (.osm.pbf)")
    }
    if let extra = invocation.operand(2) {
      throw invocation.usage("\"\(extra)\" is one word too many")
    }
    self.extract = extract
    self.output = output ?? IndexLocation.streets.writable
    isJSON = invocation.has(.json)
  }

  /// Imports, with progress on a terminal, and prints a summary.
  func run() throws(Failure) {
    do throws(StreetImporter.Failure) { try StreetImporter.check(extract) } catch {
      throw Failure(error, importing: extract, to: output)
    }
    try makeFolder()
    let began = ContinuousClock.now
    let summary = try makeIndex()
    let report = ImportReport(
      extract: extract, output: output, summary: summary, time: .now - began)
    Output.standard.line(isJSON ? report.json : report.text)
  }

  private func makeIndex() throws(Failure) -> StreetImport.Summary {
    let progress = Progress("reading \(extract)")
    defer { progress.end() }
    do throws(StreetImporter.Failure) {
      return try StreetImporter.run(extract: extract, output: output) {
        progress.say("importing \(extract): \($0.lines) features")
      }
    } catch {
      throw Failure(error, importing: extract, to: output)
    }
  }

  private func makeFolder() throws(Failure) {
    let folder = URL(fileURLWithPath: output).deletingLastPathComponent()
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      throw .refused("\(folder.path) cannot be made", next: "name another file with --output")
    }
  }
}

extension Failure {
  /// Why an import did not happen.
  init(_ failure: StreetImporter.Failure, importing extract: String, to output: String) {
    switch failure {
    case .extractUnreadable:
      self = .usage("\(extract) cannot be read", next: "ls -l '\(extract)'")
    case .notAnExtract:
      self = .usage(
        "\(extract) is no OpenStreetMap extract: its name ends in none of .osm.pbf, .osm, .opl, .o5m",
        next: "locationctl geocode import FILE.osm.pbf")
    case .placesMissing(let cause): self = .refused(cause, next: IndexLocation.howToGetPlaces)
    case .osmiumMissing:
      self = .refused(
        "osmium, which reads OpenStreetMap extracts, is not installed",
        next: "sudo apt install osmium-tool")
    case .osmiumFailed(let status):
      self = .usage(
        "\(extract): osmium could not read it (status \(status), its words are above)",
        next: "osmium fileinfo '\(extract)'")
    case .unwritable(let cause):
      self = .refused("no index was made: \(cause)", next: "check \(output), or use --output")
    case .nothingToImport:
      self = .usage(
        "\(extract) holds no street and no address", next: "osmium fileinfo -e '\(extract)'")
    }
  }
}

/// What an import has brought, as it is printed.
struct ImportReport {
  var extract: String
  var output: String
  var summary: StreetImport.Summary
  var time: Duration

  var json: String {
    var line = JSONLine(type: "import")
    line.add("streets", summary.streets)
    line.add("addresses", summary.addresses)
    line.add("points_of_interest", summary.pointsOfInterest)
    line.add("others", summary.others)
    line.add("skipped", summary.skipped)
    line.add("rejected", summary.rejected)
    line.add("seconds", seconds)
    line.add("output", output)
    return line.text
  }

  var text: String {
    """
    \(extract): \(summary.streets) streets, \(summary.addresses) addresses, \
    \(summary.pointsOfInterest) points of interest, \(summary.others) others \
    in \(seconds.plain) s (\(summary.skipped) skipped, \(summary.rejected) unreadable)
    The address index is \(output)
    """
  }

  /// To tenths.
  private var seconds: Double { (time.inSeconds * 10).rounded() / 10 }
}
