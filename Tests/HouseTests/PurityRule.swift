/// What has no place in a target that decides and never acts: a clock, a task, chance, a file.
enum PurityRule {
  static let targets: Set = [
    "LocationModel", "LocationCoding", "LocationSecrets", "LocationRadio", "LocationEngine",
    "LocationFleet", "LocationProviders",
    "LocationService", "LocationLink", "LocationRecording", "LocationSimulation",
  ]

  /// Files whose text has paths that nothing opens.
  static let withPaths: Set = [
    // The name of a device in what a simulated gpsd says.
    "Sources/LocationSimulation/Receivers/VirtualGpsd.swift"
  ]

  static func violations(in file: ProjectFile) -> [Violation] {
    guard let target = file.target, targets.contains(target) else { return [] }
    return file.violations(
      of: /\bDate\(\)|\b(Date|DispatchTime|DispatchWallTime|\w*Clock(\(\))?)\.now\b/, in: file.code,
      because: "time comes in as an argument")
      + file.violations(
        of: /(^|[\s(,:=\[])\.now\b/, in: file.code, because: "time comes in as an argument")
      + file.violations(
        of: /\b(Task|async|await|actor|DispatchQueue|Thread)\b/, in: file.code,
        because: "a machine never waits")
      + file.violations(
        of:
          /SystemRandomNumberGenerator|\.(shuffled|randomElement|shuffle)\(\)|\.random\((?!.*using:)/,
        in: file.code, because: "chance comes from a seed")
      + file.violations(
        of: /\b(FileManager|FileHandle|fopen|contentsOfFile)\b/, in: file.code,
        because: "files belong to the host")
      + paths(in: file)
  }

  private static func paths(in file: ProjectFile) -> [Violation] {
    guard !withPaths.contains(file.path) else { return [] }
    return file.violations(
      of: /"\/(dev|etc|var|usr|run|tmp|sys|proc|home|opt)\b/, in: file.codeAndStrings,
      because: "no pure target knows a file path")
  }
}
