import Foundation

/// Every benchmark by name, one file each: `swift run -c release Benchmarks NAME`.
let benchmarks: [(name: String, run: () throws -> Void)] = [
  ("geodesic", measureGeodesics),
  ("circles", measureCircles),
  ("phones", measurePhones),
  ("tradeoff", measureTradeoff),
]

let name = CommandLine.arguments.dropFirst().first ?? ""
guard let benchmark = benchmarks.first(where: { $0.name == name }) else {
  print("usage: Benchmarks " + benchmarks.map(\.name).joined(separator: " | "))
  exit(2)
}
try benchmark.run()
