import LocationCoding
import LocationEngine
import LocationHost
import LocationLink
import LocationModel
import LocationRadio
import LocationSecrets

/// Where the map of transmitters is: with the daemon, or in this person's own state.
struct MapStore {
  private enum Place {
    case daemon(RunningDaemon)
    case state(SavedState)
  }

  private let place: Place
  /// The map of this person's apps; empty where a daemon has it.
  private var map: RadioMap
  /// What must be stored with the first change.
  private var begun: [StateChange] = []
  /// Items that wait to be sent to the daemon.
  private var waiting: [JSON] = []
  private var waitingBytes = 0

  static func find() throws(Failure) -> MapStore {
    if let daemon = try RunningDaemon.find() { return MapStore(place: .daemon(daemon)) }
    let state = try SavedState()
    var store = MapStore(place: .state(state))
    if let secret = StateKeeper.secret(in: state.entries) {
      store.map = RadioMap(secret: secret, restoring: state.entries)
    } else {
      let (secret, change) = StateKeeper.newSecret()
      store.map = RadioMap(secret: secret)
      store.begun = [change]
    }
    return store
  }

  private init(place: Place) {
    self.place = place
    map = RadioMap(secret: SecretKey(seed: 0))
  }

  func layers() throws(Failure) -> [MapStatus] {
    switch place {
    case .daemon(let daemon): try daemon.ask(.map, "layers")
    case .state:
      map.summaries(on: HostClock.now.unixTime).map { MapStatus($0) }
    }
  }

  // MARK: Import

  /// Adds observations; some wait for ``finish(_:)``.
  mutating func learn(
    _ observations: [RadioObservation], _ report: inout MapImportReport
  ) throws(Failure) {
    switch place {
    case .state:
      map.learn(observations, at: HostClock.now)
      for refusal in map.refusals.all { report.note(refusal.reason.rawValue, refusal.count) }
    case .daemon:
      for observation in observations {
        let item = observation.item
        let bytes = item.bytes.count
        guard bytes <= Self.mostBytes else {
          report.note(ImportRefusal.tooLong.rawValue)
          continue
        }
        if waitingBytes + bytes > Self.mostBytes { try send(isLast: false, &report) }
        waiting.append(item)
        waitingBytes += bytes
      }
    }
  }

  /// Stores everything.
  mutating func finish(_ report: inout MapImportReport) throws(Failure) {
    switch place {
    case .daemon: try send(isLast: true, &report)
    case .state(let state):
      try state.commit(begun + map.changes(for: .save, at: HostClock.now))
      begun = []
    }
  }

  private mutating func send(isLast: Bool, _ report: inout MapImportReport) throws(Failure) {
    guard case .daemon(let daemon) = place else { return }
    let refused: [MapRefusal] = try daemon.ask(
      .importMap(items: waiting, last: isLast), "refused")
    for refusal in refused { report.note(refusal.reason, refusal.count) }
    (waiting, waitingBytes) = ([], 0)
  }

  /// Bytes of the items in one call, below what a message may have.
  private static let mostBytes = 60_000

  // MARK: Export and forgetting

  /// Prints each row as a line.
  func export() throws(Failure) {
    switch place {
    case .daemon(let daemon):
      let key: String = try daemon.ask(.map, "key")
      try daemon.follow(.export(app: nil), "entry") { (entry: DataEntry) in
        if entry.domain == RadioMap.domain { Self.print(entry.name, entry.value, key) }
        return true
      }
    case .state(let state):
      let key = String(map.fingerprint, radix: 16)
      for entry in state.entries where entry.key.domain == RadioMap.domain {
        Self.print(entry.key.name, Base64.text(entry.value), key)
      }
    }
  }

  private static func print(_ name: String, _ value: String, _ key: String) {
    let row = JSON.fields([
      "row": .string(name), "map": .string(key), "value": .string(value),
    ])
    Output.standard.line(String(decoding: row.bytes, as: UTF8.self))
  }

  /// Forgets the map; returns how many entries were stored.
  mutating func forget() throws(Failure) -> Int {
    switch place {
    case .daemon(let daemon): return try daemon.ask(.forgetMap, "rows")
    case .state(let state):
      let rows = map.rowCount
      try state.commit(map.changes(for: .forget, at: HostClock.now))
      return rows
    }
  }

  /// Forgets what the map knows within a circle.
  ///
  /// - Parameter circle: its center and radius.
  /// - Returns: how much that was.
  /// - Throws: that the daemon refuses, or that the state cannot be written.
  mutating func forget(within circle: Circle) throws(Failure) -> MapForgotten {
    switch place {
    case .daemon(let daemon): return try daemon.ask(.forgetMapNear(circle), "forgotten")
    case .state(let state):
      try state.commit(begun + map.changes(for: .forgetNear(circle), at: HostClock.now))
      begun = []
      let forgotten = map.forgotten
      return MapForgotten(places: forgotten.places, transmitters: forgotten.transmitters)
    }
  }
}
