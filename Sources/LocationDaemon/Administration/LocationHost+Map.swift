import LocationCoding
import LocationEngine
import LocationHost
import LocationLink
import LocationModel
import LocationRadio
import LocationService

// The owner's view of the map of transmitters. Everything here runs on the host's queue.
extension LocationHost {
  /// The map that is learned; without a source that receives transmitters, the stored one.
  private var map: RadioMap {
    if let map = core.map { return map }
    let entries = storedEntries
    let secret = StateKeeper.secret(in: entries) ?? StateKeeper.newSecret().0
    return RadioMap(secret: secret, restoring: entries)
  }

  /// The answer to `GetMap`.
  var mapAnswer: JSON {
    let map = map
    let layers = map.summaries(on: HostClock.now.unixTime).map { MapStatus($0) }
    return .fields([
      "layers": layers.json, "key": .string(String(map.fingerprint, radix: 16)),
    ])
  }

  /// Adds items to the map; returns what was not used.
  func importMap(
    _ items: [JSON], isLast: Bool
  ) throws(AdministrationFault) -> [MapRefusal] {
    guard core.map != nil else {
      throw AdministrationFault(
        reason: "none of the daemon's sources receives transmitters, so a map would find nothing",
        next: "name such a source in its configuration, and restart it")
    }
    var refusals = ImportRefusals()
    var observations: [RadioObservation] = []
    let now = HostClock.now.unixTime
    for item in items { observations += RadioItem.observations(in: item, at: now, &refusals) }
    step(.map(.learn(observations)))
    for refusal in core.map?.refusals.all ?? [] { refusals.note(refusal.reason, refusal.count) }
    if isLast { step(.map(.save)) }
    return refusals.all.map { MapRefusal(reason: $0.reason.rawValue, count: $0.count) }
  }

  /// Forgets the map; returns how many rows were stored.
  func forgetMap() throws(AdministrationFault) -> Int {
    let rows = map.rowCount
    _ = try forget(.forget)
    return rows
  }

  /// Forgets what the map knows within a circle.
  ///
  /// - Parameter circle: its center and radius.
  /// - Returns: how much that was.
  /// - Throws: that the circle is none, or that the change could not be stored.
  func forgetMap(within circle: Circle) throws(AdministrationFault) -> MapForgotten {
    guard circle.isValid else { throw AdministrationFault(reason: "this is no circle on earth") }
    let forgotten = try forget(.forgetNear(circle)).forgotten
    return MapForgotten(places: forgotten.places, transmitters: forgotten.transmitters)
  }

  /// Has the map forget; returns the map as it is then.
  private func forget(_ request: MapRequest) throws(AdministrationFault) -> RadioMap {
    var map = map
    if core.map != nil {
      step(.map(request))
      map = core.map ?? map
    } else {
      let changes = map.changes(for: request.input, at: HostClock.now)
      do throws(StoreError) { try keeper?.store(changes) } catch {
        throw AdministrationFault(reason: "\(error); nothing was changed")
      }
    }
    guard let fault = keeper?.fault else { return map }
    throw AdministrationFault(
      reason: "it is forgotten, and that could not be stored yet: \(fault); the daemon goes on "
        + "trying")
  }
}

// What the owner's calls do with the map, on the server's queue.
extension SocketServer {
  func importMap(
    _ items: [JSON], isLast: Bool
  ) throws(AdministrationFault) -> [MapRefusal] {
    let result: Result<[MapRefusal], AdministrationFault> = host.onQueue { host in
      Result { () throws(AdministrationFault) in try host.importMap(items, isLast: isLast) }
    }
    let refusals = try result.get()
    if isLast { journal.write(.service, "the owner has imported into the map of transmitters") }
    return refusals
  }

  func forgetMap() throws(AdministrationFault) -> Int {
    let result: Result<Int, AdministrationFault> = host.onQueue { host in
      Result { () throws(AdministrationFault) in try host.forgetMap() }
    }
    let rows = try result.get()
    journal.write(.service, "the map of transmitters is forgotten")
    return rows
  }

  /// Forgets what the map knows within a circle; returns the answer to `ForgetMapNear`.
  func forgetMap(within circle: Circle) throws(AdministrationFault) -> JSON {
    let result: Result<MapForgotten, AdministrationFault> = host.onQueue { host in
      Result { () throws(AdministrationFault) in try host.forgetMap(within: circle) }
    }
    let forgotten = try result.get()
    journal.write(.service, "the map of transmitters around a place is forgotten")
    return .fields(["forgotten": forgotten.json])
  }
}
