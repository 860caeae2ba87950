import LocationModel

/// The menu of the location indicator (`com.canonical.dbusmenu`): the apps, an entry to stop each
/// of them, and one to switch location services off.
///
/// The number of an entry is never used again, so that a press that comes late, after the menu has
/// changed, stops no other app.
struct IndicatorMenu: Sendable {
  enum Choice: Hashable, Sendable {
    case stop(AppIdentity)
    case switchServicesOff
  }

  private struct Entry: Sendable {
    var number: Int
    /// `nil` for a line between two parts.
    var label: String?
    var choice: Choice?
  }

  private var entries: [Entry] = []
  /// The number of the entry that stops an app, and of the line above it, by app.
  private var numbers: [AppIdentity: Int] = [:]
  private var lastNumber = Self.firstNumber
  /// Of the layout; raised with each change.
  private var revision: UInt32 = 0
  /// One line for each app, for the tool tip.
  private(set) var lines: [String] = []

  mutating func show(_ contents: IndicatorContents) {
    revision &+= 1
    let apps = contents.apps.prefix(Self.most)
    let names = Set(apps.map(\.app))
    numbers = numbers.filter { names.contains($0.key) }
    for app in apps where numbers[app.app] == nil {
      lastNumber += 2
      numbers[app.app] = lastNumber
    }
    lines = apps.flatMap { Self.lines(of: $0) }
    let rest = contents.apps.count - apps.count
    if rest > 0 { lines.append("and \(rest) more: locationctl status --follow") }
    entries = apps.flatMap { app -> [Entry] in
      guard let number = numbers[app.app] else { return [] }
      let label = Entry(
        number: number, label: Self.lines(of: app).joined(separator: "; "), choice: nil)
      guard app.isActive else { return [label] }
      let words = "Stop \(app.name) for now"
      return [label, Entry(number: number + 1, label: words, choice: .stop(app.app))]
    }
    if rest > 0 { entries.append(Entry(number: Self.more, label: lines.last, choice: nil)) }
    entries += [
      Entry(number: Self.line, label: nil, choice: nil),
      Entry(number: Self.off, label: "Switch location services off", choice: .switchServicesOff),
    ]
  }

  private static func lines(of app: IndicatorContents.App) -> [String] {
    var lines: [String] = []
    if app.isActive {
      lines.append(app.words + (app.isInBackground ? " (in the background)" : ""))
    }
    if app.calibrates {
      lines.append(
        "\(app.words) asks to turn the device about all its axes, to calibrate the compass")
    }
    return lines
  }

  /// The choice of an entry; `nil` for one that is gone, or decides nothing.
  func choice(_ number: Int) -> Choice? { entries.first { $0.number == number }?.choice }

  // MARK: The object

  /// The signal that the layout has changed.
  var changed: BusSignal {
    BusSignal(
      path: IndicatorPresenter.menuPath, interface: Self.interface, member: "LayoutUpdated",
      arguments: [.uint32(revision), .int32(0)])
  }

  /// The menu as an object that only these services may read and press.
  func object(_ callers: [String]) -> BusObject {
    let none = BusValue.array(of: "i", [])
    var object = BusObject(
      path: IndicatorPresenter.menuPath, interface: Self.interface, caller: callers[0],
      properties: .properties([
        "Version": .uint32(3), "TextDirection": .string("ltr"), "Status": .string("normal"),
        "IconThemePath": .array(of: "s", []),
      ]),
      // A flat menu: whichever part is asked for, the answer is the whole of it.
      methods: [
        BusMethod("GetLayout", "iias", returning: [.uint32(revision), layout]),
        BusMethod("GetGroupProperties", "aias", returning: [properties]),
        BusMethod("AboutToShow", "i", returning: [.boolean(false)]),
        BusMethod("AboutToShowGroup", "ai", returning: [none, none]),
        BusMethod("Event", "isvu"),
        BusMethod("EventGroup", "a(isvu)", returning: [none]),
      ])
    object.otherCallers = Array(callers.dropFirst())
    return object
  }

  private var layout: BusValue {
    let children = entries.map { entry in
      BusValue.variant(
        .structure([.int32(Int32(entry.number)), Self.properties(of: entry), Self.noChildren]))
    }
    return .structure([
      .int32(0), .properties(["children-display": .string("submenu")]),
      .array(of: "v", children),
    ])
  }

  private var properties: BusValue {
    .array(
      of: "(ia{sv})",
      entries.map { .structure([.int32(Int32($0.number)), Self.properties(of: $0)]) })
  }

  private static func properties(of entry: Entry) -> BusValue {
    guard let label = entry.label else { return .properties(["type": .string("separator")]) }
    // An underscore marks a key of the keyboard; two are one character.
    return .properties([
      "label": .string(label.substituting("_", with: "__")),
      "enabled": .boolean(entry.choice != nil), "visible": .boolean(true),
    ])
  }

  private static let noChildren = BusValue.array(of: "v", [])
  private static let interface = "com.canonical.dbusmenu"
  /// The numbers of the entries that do not belong to an app.
  private static let (line, off, more) = (1, 2, 3)
  private static let firstNumber = 10
  /// Chosen: more than fit on a screen.
  static let most = 32
}
