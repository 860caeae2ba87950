/// Which modules a target may import: the arrows of ARCHITECTURE.md.
enum ImportRule {
  /// The modules of each Swift target; a target that is missing here may import nothing.
  static let allowed: [String: Set<String>] = [
    "LocationModel": [],
    "LocationCoding": ["LocationModel"],
    "LocationSecrets": ["CSodium", "Synchronization"],
    "LocationRadio": ["LocationModel", "LocationCoding", "LocationSecrets"],
    "LocationEngine": ["LocationModel", "LocationCoding", "LocationSecrets"],
    "LocationFleet": [
      "LocationModel", "LocationCoding", "LocationEngine", "LocationProviders", "LocationSecrets",
    ],
    "LocationProviders": ["LocationModel", "FoundationEssentials"],
    "LocationRecording": ["LocationSecrets", "LocationModel", "LocationCoding", "LocationEngine"],
    "LocationService": [
      "LocationSecrets", "LocationModel", "LocationEngine", "LocationProviders",
      "LocationRadio", "LocationRecording", "FoundationEssentials",
    ],
    "LocationSimulation": [
      "LocationModel", "LocationEngine", "LocationProviders", "LocationService",
      "FoundationEssentials",
    ],
    "LocationLink": ["LocationModel", "LocationCoding"],
    "LocationHost": [
      "LocationSecrets", "LocationCoding", "LocationLink", "LocationRadio", "LocationRecording",
      "LocationModel", "LocationEngine", "LocationProviders", "LocationService", "CLinux",
      "LocationSQLite", "LocationWeb",
      "CSystemd", "CXCB", "Dispatch", "Glibc", "Synchronization", "FoundationEssentials",
    ],
    "LocationDaemon": [
      "LocationHost", "LocationCoding", "LocationLink", "LocationRecording", "LocationModel",
      "LocationEngine", "LocationFleet", "LocationProviders", "LocationRadio", "LocationSecrets",
      "LocationService", "CLinux",
      "CSystemd", "Dispatch", "Glibc", "Synchronization", "FoundationEssentials",
    ],
    "LocationSQLite": ["CSQLite"],
    "LocationWeb": ["LocationModel", "CCurl", "Dispatch", "Glibc"],
    "LocationGeocoding": [
      "LocationModel", "LocationSQLite", "LocationWeb", "Glibc", "Synchronization",
      "FoundationEssentials",
    ],
    "CoreLocation": [
      "CoreLocationTypes", "LocationModel", "LocationHost", "LocationGeocoding", "Foundation",
      "FoundationNetworking", "CoreFoundation", "Synchronization",
    ],
    "BeaconAdvertising": ["CoreLocation", "LocationModel", "Synchronization"],
    "LocationTesting": [
      "CoreLocation", "LocationSimulation", "LocationModel", "LocationEngine", "LocationService",
      "LocationProviders", "LocationGeocoding", "Foundation", "Synchronization", "CVirtualTime",
      "Dispatch", "_Concurrency",
    ],
    "LocationLifecycle": ["CoreLocation", "LocationModel"],
    "INTULocationManager": ["CoreLocation", "Foundation", "Synchronization"],
    "locationctl": [
      "LocationHost", "LocationService",
      "LocationCoding", "LocationEngine", "LocationFleet",
      "LocationProviders", "LocationModel", "LocationLink", "LocationRadio", "LocationRecording",
      "LocationSecrets", "LocationSimulation", "LocationGeocoding",
      // Not Foundation, whose data of languages would be half of the program.
      "FoundationEssentials", "Dispatch",
      "Glibc", "Synchronization", "CLinux", "CMicroHTTPD",
    ],
    "LocationFleetNATS": [
      "CNATS", "LocationFleet", "LocationModel", "LocationProviders", "FoundationEssentials",
      "Glibc",
    ],
    "locationfleet": [
      "CCurl", "CIngress", "CPostgres", "CSystemd", "LocationFleet", "LocationFleetNATS",
      "LocationModel",
      "LocationProviders", "LocationSecrets", "Glibc",
    ],
    "locationd": ["LocationDaemon", "LocationHost", "Glibc"],
  ]

  /// A file that may import one module more.
  static let exceptions: [String: Set<String>] = [
    // The mathematics of the C library, wrapped once for everyone.
    "Sources/LocationModel/Values/Angle.swift": ["Glibc", "Musl", "Android", "Darwin"],
    // The clang module of the same name, exported again.
    "Sources/CoreLocation/CoreLocation.swift": ["CoreLocation"],
  ]

  static func violations(in file: ProjectFile) -> [Violation] {
    guard let target = file.target else { return [] }
    let allowed = allowed[target, default: []].union(exceptions[file.path, default: []])
    return imports(in: file).filter { !allowed.contains($0.module) }.map {
      Violation(path: file.path, line: $0.line, reason: "\(target) may not import \($0.module)")
    }
  }

  static func imports(in file: ProjectFile) -> [(line: Int, module: String)] {
    let statement =
      /^\s*(@\w+(\(\w+\))?\s+)*((public|package|internal|fileprivate|private)\s+)?import\s+((struct|class|enum|protocol|func|var|let|typealias)\s+)?(?<module>\w+)/
    let lines = file.code.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.enumerated().compactMap { number, line in
      line.firstMatch(of: statement).map { (number + 1, String($0.module)) }
    }
  }
}
