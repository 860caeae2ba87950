import Foundation

/// What the app declares in its information property list, as far as requests need it.
struct Declarations: Hashable, Sendable {
  /// Whether there is a usage text for location at any time.
  var hasAlwaysText = false
  /// Whether the background modes contain `location` (INTU-8).
  var hasLocationBackgroundMode = false

  enum Goal: Hashable, Sendable { case always, whenInUse }

  /// Returns the authorization to request (INTU-6).
  ///
  /// Core Location reports a missing text, and which one; the original library asserted.
  func goal(for type: INTUAuthorizationType) -> Goal {
    switch type {
    case .always: .always
    case .whenInUse: .whenInUse
    case .auto: hasAlwaysText ? .always : .whenInUse
    }
  }
}

extension Declarations {
  /// The declarations of this process.
  static let ofProcess = Declarations(processList())

  init(_ list: [String: Any]) {
    let text = list["NSLocationAlwaysAndWhenInUseUsageDescription"] as? String
    hasAlwaysText = text.map { !$0.isEmpty } ?? false
    let modes = list["UIBackgroundModes"] as? [Any] ?? []
    hasLocationBackgroundMode = modes.contains { $0 as? String == "location" }
  }

  private static func processList() -> [String: Any] {
    if let list = Bundle.main.infoDictionary, !list.isEmpty { return list }
    // A plain executable NAME declares itself in NAME.plist beside it, because it has no bundle for
    // Core Location to read.
    let path = ProcessInfo.processInfo.arguments.first ?? ""
    let executable = Bundle.main.executableURL ?? URL(fileURLWithPath: path)
    let file = URL(fileURLWithPath: executable.path + ".plist")
    guard let data = try? Data(contentsOf: file) else { return [:] }
    let list = try? PropertyListSerialization.propertyList(from: data, options: [], format: nil)
    return list as? [String: Any] ?? [:]
  }
}
