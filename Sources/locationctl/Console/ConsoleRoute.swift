/// What a request of the page is for.
enum ConsoleRoute: Hashable, Sendable {
  /// A file of the page.
  case page(String)
  /// A file of the map library.
  case library(String)
  case settings
  case live
  /// The borders in a part of the map.
  case land
  case change(Change)
  /// Whether the daemon starts an app.
  case launch
  /// Whether the console answers questions of apps, and an answer.
  case questions
  case answer
  /// The day that was read last: its events, its fixes, or what it is exported as.
  case day
  case track
  case scenario
  case test
  /// Reads another day.
  case read
  /// The same day with other fences.
  case fences
  /// The same day with other beacons.
  case beacons
  /// The same day with other things that happen in it.
  case changes

  /// What the owner of the daemon can change.
  enum Change: String, CaseIterable, Sendable {
    case services, authorize, erase, watch, unwatch
  }

  init?(_ method: String, _ path: String) {
    let found = method == "GET" ? Self.toGet(path) : Self.toPost(path)
    guard let found else { return nil }
    self = found
  }

  private static func toGet(_ path: String) -> ConsoleRoute? {
    switch path {
    case "/": return .page("index.html")
    case "/api/settings": return .settings
    case "/api/live": return .live
    case "/api/land": return .land
    case "/api/day": return .day
    case "/api/day/track": return .track
    case "/api/day/scenario": return .scenario
    case "/api/day/test": return .test
    default: break
    }
    let name = String(path.dropFirst())
    if ConsolePage.files.contains(name) { return .page(name) }
    let file = name.dropFirst("leaflet/".count)
    return name.hasPrefix("leaflet/") && ConsolePage.libraryFiles.contains(String(file))
      ? .library(String(file)) : nil
  }

  private static func toPost(_ path: String) -> ConsoleRoute? {
    switch path {
    case "/api/day": return .read
    case "/api/day/fences": return .fences
    case "/api/day/beacons": return .beacons
    case "/api/day/changes": return .changes
    case "/api/questions": return .questions
    case "/api/answer": return .answer
    case "/api/launch": return .launch
    default:
      guard path.hasPrefix("/api/") else { return nil }
      return Change(rawValue: String(path.dropFirst("/api/".count))).map { .change($0) }
    }
  }

  /// How many bytes of a body are read.
  var limit: Int {
    switch self {
    // A receiver's log of a day has 50 MB.
    case .read: 64 << 20
    case .fences, .beacons, .changes, .change, .launch, .questions, .answer: 64 << 10
    case .page, .library, .settings, .live, .land, .day, .track, .scenario, .test: 0
    }
  }
}
