import LocationEngine
import LocationModel
import LocationSQLite

extension StateGuard {
  /// Makes the state and its guard agree after one of them was damaged or missing.
  ///
  /// A lost state is restored from the guard; if both are lost, location services stay off until
  /// the owner switches them on. If both exist, off wins over on, and a claim on an identifier
  /// stays.
  ///
  /// - Parameters:
  ///   - database: the state, opened and in the present form.
  ///   - seal: what opens its rows.
  ///   - isNew: whether there was no state in the file.
  ///   - isLost: whether there was a state that cannot be read any more.
  /// - Returns: a text for each fault found, and each correction made.
  /// - Throws: `StoreError` of the database, or if a newer program has written the guard.
  func settle(
    _ database: Database, sealedBy seal: StateSeal, isNew: Bool, isLost: Bool
  ) throws(StoreError) -> [String] {
    let read = try StateStore.rows(in: Self.domains, of: database, openedBy: seal)
    let kept = read.entries
    var findings: [String] = []
    var missing: [StateEntry] = []
    let reading = self.read(sealedBy: seal)
    switch reading {
    case .newer(let number):
      throw StoreError(
        code: StoreError.newer, context: shownPath,
        message: "a newer program has written it, in form \(number); update this one; "
          + "nothing was changed")
    case .missing:
      guard isNew, isLost else { break }
      missing = [Self.servicesOff("the state was lost, and nothing says whether they were on")]
      findings = ["the state was lost with its guard; \(Self.untilSwitchedOn)"]
    case .damaged:
      findings = ["\(shownPath) was damaged and is written anew"]
      guard isNew else { break }
      missing = [Self.servicesOff("the state was lost, and its guard was damaged")]
      findings = ["the state was lost, and \(shownPath) is damaged; \(Self.untilSwitchedOn)"]
    case .entries(let guarded):
      missing = Self.missing(of: guarded, in: kept)
      guard isNew else { break }
      findings = ["the state was lost; \(shownPath) has given back \(Self.words(guarded))"]
    }
    let isKnown = (kept + missing).contains { $0.key.domain == Setting.domain }
    if read.rejected[Setting.domain] != nil, !isKnown {
      missing.append(Self.servicesOff("their switch was damaged in the state"))
      findings.append("the switch of location services was damaged; \(Self.untilSwitchedOn)")
    }
    let changes = missing.map { StateChange.set($0.key, $0.value) }
    let all = kept.filter { entry in !missing.contains { $0.key == entry.key } } + missing
    guard
      !missing.isEmpty || isOlder || reading != .entries(all.sorted { $0.key < $1.key })
    else {
      return findings
    }
    try StateStore.transaction(on: database) { () throws(StoreError) in
      try seal.refresh(from: database)
      for change in changes { try StateStore.apply(change, to: database, sealedBy: seal) }
      try write(
        StateStore.rows(in: Self.domains, of: database, openedBy: seal).entries, sealedBy: seal)
    }
    return findings
  }

  /// Returns the guard's entries that the state lacks; the switch is off if one of both has it off.
  private static func missing(
    of guarded: [StateEntry], in kept: [StateEntry]
  ) -> [StateEntry] {
    guarded.filter { entry in
      guard let own = kept.first(where: { $0.key == entry.key }) else { return true }
      return entry.key.domain == "settings" && !Setting.servicesAreOn(in: guarded)
        && Setting.servicesAreOn(in: [own])
    }
  }

  /// Creates the entry that keeps location services off, with the reason.
  static func servicesOff(_ reason: String) -> StateEntry {
    guard case .set(let key, let value) = Setting.servicesChange(false, because: reason) else {
      preconditionFailure("the switch is set, whatever to")
    }
    return StateEntry(key: key, value: value)
  }

  private static let untilSwitchedOn =
    "location services are off until they are switched on: locationctl services on"

  private static func words(_ entries: [StateEntry]) -> String {
    let claims = entries.count { $0.key.domain == "identity" }
    let services = Setting.servicesAreOn(in: entries) ? "on" : "off"
    return "the switch of location services (\(services)) and \(claims) identifiers of programs"
  }
}
