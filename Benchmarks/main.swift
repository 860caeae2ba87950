import Foundation

/// Every benchmark by name, one file each: `swift run -c release Benchmarks NAME`.
let benchmarks: [(name: String, run: () async throws -> Void)] = [
  ("nmea", measureNMEA),
  ("gpx", measureGPX),
  ("geodesic", measureGeodesics),
  ("start", measureStart),
  ("live", measureLive),
  ("cpu", measureProcessorTime),
  ("daemon", measureDaemon),
  ("daemon-idle", measureIdleDaemon),
  ("abuse", measureAbuse),
  ("circles", measureCircles),
  ("phones", measurePhones),
  ("visits", measureVisits),
  ("tradeoff", measureTradeoff),
  ("demand", measureDemand),
  ("geocoding", measureGeocoding),
  ("signals", measureSignals),
  ("beacons", measureBeaconClasses),
  ("simulation", measureSimulation),
  ("console", measureConsole),
  ("radios", measureRadios),
  ("first-fix", measureFirstFix),
  ("fusion", measureFusion),
  ("commit", measureCommits),
  ("fleet-memory", measureFleetMemory),
  ("fleet-phones", measureFleetPhones),
  ("fleet", measureFleet),
  ("fleet-latency", measureFleetLatency),
  ("ingress", measureFleetIngress),
  ("geoclue", measureGeoClue),
]

let words = Array(CommandLine.arguments.dropFirst())
// The parts of this program that are programs of their own.
switch words.first {
case Reader.name: try await Reader.run(words)
case Follower.name: try await Follower.run()
case FarWatcher.name: FarWatcher.run()
case Crowd.name: try Crowd.run(words[1], Int(words[2]) ?? 1)
case Abuser.name: Abuser.run(words[1], Abuser.Kind(rawValue: words[2]) ?? .floods)
case BareHop.name: try BareHop.run(words[1])
case FirstFix.name: try await FirstFix.run(words[1], words[2])
case RadioCost.name: try RadioCost.run(words)
case Decoder.name: try Decoder.run(words[1])
default: break
}
let chosen = benchmarks.filter { words.first == "all" || words.first == $0.name }
guard !chosen.isEmpty else {
  print("usage: Benchmarks all | " + benchmarks.map(\.name).joined(separator: " | "))
  exit(2)
}
var contradictions: [String] = []
var unmeasured: [String] = []
for (index, benchmark) in chosen.enumerated() {
  print("\n[\(index + 1) of \(chosen.count)] \(benchmark.name)")
  fflush(nil)
  do { try await benchmark.run() } catch let missing as MissingPeer {
    unmeasured.append("not measured: \(benchmark.name): \(missing.text)")
    print("not measured: \(missing.text)")
  } catch let invalid as InvalidMeasurement {
    contradictions.append("\(benchmark.name): \(invalid.text)")
    print("INVALID: \(invalid.text)")
  }
}
let verdict = try Thresholds.read().verdict(on: Figure.reported, isWhole: words.first == "all")
print(verdict.text)
for line in unmeasured { print(line) }
for contradiction in contradictions { print("INVALID: \(contradiction)") }
exit(verdict.isGood && contradictions.isEmpty ? 0 : 1)
