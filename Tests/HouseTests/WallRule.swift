/// `public` and Apple's names stay in the face.
enum WallRule {
  /// Targets with a public interface.
  static let face: Set = [
    "BeaconAdvertising", "CoreLocation", "LocationTesting", "LocationLifecycle",
    "INTULocationManager",
  ]
  /// Targets that use Apple's interface as any app does.
  static let clients: Set = ["locationctl"]

  static func violations(in file: ProjectFile) -> [Violation] {
    guard let target = file.target, !face.contains(target) else { return [] }
    let words = file.violations(
      of: /\bpublic\b/, in: file.code, because: "what is shared behind the wall is `package`")
    guard !clients.contains(target) else { return words }
    return words
      + file.violations(
        of: /\bk?CL[A-Z][a-z]\w*/, in: file.code, because: "Apple's names stay in the face")
  }
}
