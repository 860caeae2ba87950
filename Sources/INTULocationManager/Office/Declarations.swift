import Foundation

/// What the app declares in its information property list, as far as requests need it.
struct Declarations: Hashable, Sendable {
  /// Whether there is a text for the question for use at any time.
  var hasAlwaysText = false
  /// Whether the background modes contain `location` (INTU-8).
  var hasLocationBackgroundMode = false

  enum Goal: Hashable, Sendable { case always, whenInUse }

  /// What to ask the person for (INTU-6).
  ///
  /// A missing text is left to Core Location, which explains what is missing; the original
  /// asserted.
  func goal(for type: INTUAuthorizationType) -> Goal {
    switch type {
    case .always: .always
    case .whenInUse: .whenInUse
    case .auto: hasAlwaysText ? .always : .whenInUse
    }
  }
}

extension Declarations {
  /// Those of this process.
  static let ofProcess = Declarations(processList())

  init(_ list: [String: Any]) {
    let text = list["NSLocationAlwaysAndWhenInUseUsageDescription"] as? String
    hasAlwaysText = text.map { !$0.isEmpty } ?? false
    let modes = list["UIBackgroundModes"] as? [Any] ?? []
    hasLocationBackgroundMode = modes.contains { $0 as? String == "location" }
  }

  private static func processList() -> [String: Any] {
    if let list = Bundle.main.infoDictionary, !list.isEmpty { return list }
    // A plain executable NAME declares itself in NAME.plist beside it, where Core Location has no
    // bundle to ask.
    let path = ProcessInfo.processInfo.arguments.first ?? ""
    let executable = Bundle.main.executableURL ?? URL(fileURLWithPath: path)
    let file = URL(fileURLWithPath: executable.path + ".plist")
    guard let data = try? Data(contentsOf: file) else { return [:] }
    let list = try? PropertyListSerialization.propertyList(from: data, options: [], format: nil)
    return list as? [String: Any] ?? [:]
  }
}
