import LocationEngine
import Testing

/// One cell of the delivery table.
struct MatrixCell: Hashable, Sendable, CustomTestStringConvertible {
  /// The place of the row in `DeliveryTable.rows`.
  var row: Int
  var place: DeliveryPlace

  var entry: DeliveryTable.Row { DeliveryTable.rows[row] }

  /// What the table says.
  var action: DeliveryRule.Action {
    zip(DeliveryPlace.allCases, entry.actions).first { $0.0 == place }?.1 ?? .nothing
  }

  var testDescription: String { "\(Self.name(of: entry)), \(place.rawValue): \(action.rawValue)" }

  static func name(of row: DeliveryTable.Row) -> String {
    "\(row.service?.rawValue ?? "Anything needing Always") / \(row.authority.rawValue)"
  }

  static let all = DeliveryTable.rows.indices.flatMap { row in
    DeliveryPlace.allCases.map { MatrixCell(row: row, place: $0) }
  }

  /// Why it cannot be run here; `nil` if it can.
  var obstacle: String? {
    if entry.authority == .whenInUseWithActivity && place == .background {
      return "an app with an active background activity session is in use: that is BG+"
    }
    if entry.service == .geocoder {
      if place == .suspended || !place.hasProcess {
        return "addresses are found in the app's own process, which has to run"
      }
      if PlaceIndex.path == nil { return "no place index" }
    }
    let needsRadio = entry.service == .ranging || entry.service == .beaconRegion
    return needsRadio && !MatrixStage.hasRadio ? "no python-dbusmock" : nil
  }
}

extension DeliveryPlace {
  var hasProcess: Bool { self != .dead && self != .quit }
}

/// What the world does in one stage: some services need a silence before, some a way.
enum MatrixWorld: String, CaseIterable, Sendable {
  /// No position at all until the app is where it shall be.
  case silence
  /// A position outside, and then a way home and a stay, by a clock that runs fast.
  case journey
  /// A beacon that comes after half a minute without.
  case beacon
}

/// The service of a row in one world, and its app.
struct MatrixApp: Sendable {
  var row: Int
  var service: DeliveryService
  var world: MatrixWorld

  var entry: DeliveryTable.Row { DeliveryTable.rows[row] }
  var key: String { "\(service)-\(row)" }
  var identifier: String { "org.example.\(key)" }

  /// The apps of a world whose cells of this state can be run.
  static func apps(of world: MatrixWorld, in place: DeliveryPlace) -> [MatrixApp] {
    DeliveryTable.rows.indices.flatMap { row -> [MatrixApp] in
      guard MatrixCell(row: row, place: place).obstacle == nil else { return [] }
      // The row that stands for many services is run with two of them.
      let services = DeliveryTable.rows[row].service.map { [$0] } ?? [.significantChange, .region]
      return services.filter { $0.world == world }.map {
        MatrixApp(row: row, service: $0, world: world)
      }
    }
  }

  /// What the person has answered before.
  var grant: AuthorizationRecord.Grant {
    switch entry.authority {
    case .any: service == .diagnostics ? .whenInUse : .undecided
    case .whenInUse, .whenInUseWithActivity: .whenInUse
    case .always, .alwaysWithSession: .always
    case .provisional: .provisionalAlways
    case .none: .denied
    }
  }

  /// What the app holds beside its service.
  func aids(in place: DeliveryPlace) -> [String] {
    switch entry.authority {
    case .whenInUseWithActivity: ["activity"]
    case .alwaysWithSession: ["session"] + (place == .backgroundInUse ? ["continuous"] : [])
    case .any, .whenInUse, .always, .provisional, .none:
      place == .backgroundInUse ? ["continuous"] : []
    }
  }

  /// The words with which the app reports an event.
  var sign: String { service.sign }
}

extension DeliveryService {
  fileprivate var world: MatrixWorld {
    switch self {
    case .visits, .region: .journey
    case .beaconRegion: .beacon
    case .standard, .oneShot, .significantChange, .ranging, .heading, .liveUpdates, .monitor,
      .diagnostics, .geocoder:
      .silence
    }
  }

  var sign: String {
    switch self {
    case .standard: "fix"
    case .oneShot: "once"
    case .significantChange: "change"
    case .visits: "visit"
    case .region, .beaconRegion: "entered"
    case .ranging: "ranged"
    case .heading: "heading 12"
    case .liveUpdates: "update"
    case .monitor: "event"
    case .diagnostics: "denied"
    case .geocoder: "placemark"
    }
  }

  /// Whether the app acts by itself, rather than waiting for something to happen.
  var acts: Bool { self == .oneShot || self == .geocoder }
}
