import LocationModel

/// The rows of the delivery table, and its printed form.
package enum DeliveryTable {
  package struct Row: Hashable, Sendable {
    /// `nil` for the row that stands for every service that needs Always.
    package var service: DeliveryService?
    package var authority: DeliveryAuthority
    /// One for each ``DeliveryPlace``, in its order.
    package var actions: [DeliveryRule.Action]
    /// Whether missing events outside use are explained (LIVE-33, SESS-13).
    package var explainsAbsence: Bool
    /// The statements on which it rests.
    package var source: String

    init(
      _ service: DeliveryService?, _ authority: DeliveryAuthority,
      _ actions: [DeliveryRule.Action], explainsAbsence: Bool = false, source: String
    ) {
      self.service = service
      self.authority = authority
      self.actions = actions
      self.explainsAbsence = explainsAbsence
      self.source = source
    }

    func verdict(in place: DeliveryPlace) -> DeliveryRule.Verdict {
      let action = zip(DeliveryPlace.allCases, actions).first { $0.0 == place }?.1 ?? .nothing
      let isExplained = explainsAbsence && place == .background
      return DeliveryRule.Verdict(action, flags: isExplained ? .insufficientlyInUse : [])
    }
  }

  static func row(_ service: DeliveryService, _ authority: DeliveryAuthority) -> Row? {
    rows.first { row in
      let isService = row.service == nil ? service.needsAlwaysOutsideUse : row.service == service
      return isService && row.authority == authority
    }
  }

  /// Section 16 of the behavior document, in its order and with its marks.
  package static let rows: [Row] = classicRows + modernRows

  // The ends of a row: background, suspended, terminated, and quit.
  private static let inUseOnly = inUse + [.nothing, .nothing, .nothing, .nothing]
  private static let heldOutsideUse = inUse + [.hold, .hold, .hold, .hold]
  private static let everywhere = inUse + [.deliver, .wake, .launch, .launchUnlessQuit]
  private static let whileRunning = inUse + [.deliver, .nothing, .nothing, .nothing]
  private static let queued = inUse + [.deliver, .queue, .nothing, .nothing]
  /// In use, events are always delivered.
  private static let inUse: [DeliveryRule.Action] = [.deliver, .deliver]

  private static let classicRows: [Row] = [
    Row(.standard, .whenInUse, inUseOnly, source: "STD-47..51"),
    Row(.standard, .always, queued, source: "STD-48..51"),
    Row(.oneShot, .whenInUse, inUseOnly, source: "STD-24"),
    Row(.oneShot, .always, queued, source: "STD-24"),
    Row(.significantChange, .whenInUse, inUseOnly, source: "SLC-10"),
    Row(.significantChange, .always, everywhere, source: "SLC-8"),
    Row(.visits, .whenInUse, inUseOnly, source: "VISIT-9"),
    Row(.visits, .always, everywhere, source: "VISIT-7"),
    Row(.region, .whenInUse, heldOutsideUse, source: "REG-33"),
    Row(.region, .always, everywhere, source: "REG-31"),
    Row(.beaconRegion, .whenInUse, heldOutsideUse, source: "REG-33"),
    Row(.beaconRegion, .always, everywhere, source: "BEACON-21"),
    Row(.ranging, .whenInUse, inUseOnly, source: "BEACON-18"),
    Row(.ranging, .always, whileRunning, source: "BEACON-18"),
    Row(.heading, .any, whileRunning, source: "HEAD-10, HEAD-11"),
  ]

  private static let modernRows: [Row] = [
    Row(.liveUpdates, .whenInUse, inUseOnly, explainsAbsence: true, source: "LIVE-33"),
    Row(.liveUpdates, .whenInUseWithActivity, everywhere, source: "LIVE-34..36"),
    Row(.liveUpdates, .alwaysWithSession, everywhere, source: "LIVE-38"),
    Row(.liveUpdates, .always, inUseOnly, explainsAbsence: true, source: "SESS-13"),
    Row(.monitor, .whenInUse, heldOutsideUse, source: "MON-39"),
    Row(.monitor, .whenInUseWithActivity, everywhere, source: "MON-38"),
    Row(.monitor, .alwaysWithSession, everywhere, source: "MON-38"),
    Row(.monitor, .always, heldOutsideUse, source: "SESS-13"),
    Row(
      nil, .provisional, inUse + [.holdAndAsk, .holdAndAsk, .holdAndAsk, .holdAndAsk],
      source: "AUTH-32..36"),
    Row(
      .diagnostics, .any, inUse + [.deliver, .queueLatest, .nothing, .nothing], source: "SESS-17"),
    Row(.geocoder, .any, whileRunning, source: "GEO-13"),
  ]

  /// The table, as a page of documentation.
  package static var markdown: String {
    let head =
      ["Service", "Authorization"] + DeliveryPlace.allCases.map(\.rawValue) + ["Statements"]
    let rule = head.map { _ in "---" }
    return preface + ([head, rule] + rows.map(cells)).map(line).joined(separator: "\n") + "\n"
      + overlays
  }

  private static func cells(_ row: Row) -> [String] {
    let actions = zip(DeliveryPlace.allCases, row.actions).map { place, action in
      action.rawValue
        + (row.explainsAbsence && place == .background ? " + insufficientlyInUse" : "")
    }
    let service = row.service?.rawValue ?? "Anything needing Always"
    return [service, row.authority.rawValue] + actions + [row.source]
  }

  private static func line(_ cells: [String]) -> String {
    "| " + cells.joined(separator: " | ") + " |"
  }

  private static let preface = """
    # What is delivered, when

    Printed by `DeliveryTable.markdown`; a test keeps this file and the code the same.

    FG: foreground. BG+: background and in use (grace time, indicator, background activity session,
    live activity). BG: background, not in use. SUS: suspended. DEAD: ended by the system or a crash.
    QUIT: ended by the person.

    Y: delivered. Q: queued until the app runs. W: wakes it. L: launches it. L*: launches it unless
    the daemon honors quitting. H: held, and delivered when it may be. –: nothing.


    """

  private static let overlays = """

    **Reduced accuracy**: standard updates, requestLocation, significant change, visits, and live
    updates have coarse places; regions, beacons, ranging, and monitors give no events.

    **Allow Once**: as WhenInUse; the grant ends with the grace time.

    **Provisional Always**: in use as WhenInUse, also while suspended or ended.

    **Denied, restricted, undecided, or off**: nothing; modern services say why by their flags.

    **Launches** need a registered command, background refresh, and a device unlocked since its
    start; without one of them there is nothing.

    """
}
