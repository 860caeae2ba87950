import Foundation

/// Every benchmark by name, one file each: `swift run -c release Benchmarks NAME`.
let benchmarks: [(name: String, run: () async throws -> Void)] = [
  ("nmea", measureNMEA),
  ("gpx", measureGPX),
  ("geodesic", measureGeodesics),
  ("start", measureStart),
  ("live", measureLive),
  ("cpu", measureProcessorTime),
  ("circles", measureCircles),
  ("phones", measurePhones),
  ("visits", measureVisits),
  ("tradeoff", measureTradeoff),
  ("demand", measureDemand),
  ("geocoding", measureGeocoding),
  ("signals", measureSignals),
  ("simulation", measureSimulation),
]

let words = Array(CommandLine.arguments.dropFirst())
if words.first == Reader.name { try await Reader.run(words) }
let chosen = benchmarks.filter { words.first == "all" || words.first == $0.name }
guard !chosen.isEmpty else {
  print("usage: Benchmarks all | " + benchmarks.map(\.name).joined(separator: " | "))
  exit(2)
}
for (index, benchmark) in chosen.enumerated() {
  print("\n[\(index + 1) of \(chosen.count)] \(benchmark.name)")
  fflush(nil)
  do { try await benchmark.run() } catch let missing as MissingPeer {
    print("not measured: \(missing.text)")
  }
}
let verdict = try Thresholds.read().verdict(on: Figure.reported, isWhole: words.first == "all")
print(verdict.text)
exit(verdict.isGood ? 0 : 1)
