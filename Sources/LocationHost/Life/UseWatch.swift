package import LocationModel
package import LocationProviders

/// Follows whether the processes of clients are in use.
///
/// The kernel reports neither a change of a terminal's foreground nor that a process is stopped or
/// continues. Therefore processes with a terminal are looked at before each step that other events
/// cause, those without one when they leave deliveries unread, and once a second only while a process
/// waits, stopped or in the background of its terminal.
package struct UseWatch: Sendable {
  private struct Followed {
    /// `nil` where nothing is observed.
    var mark: ProcessMark?
    var use: ObservedUse
    /// The sources that show windows of it, or did.
    var sources: Set<WindowSource> = []
    /// Whether the process was woken for an event, and is not suspended again.
    var isWoken = false
  }

  private let table: (any ProcessTable)?
  private var followed: [ClientID: Followed] = [:]
  /// Those whose use can change unnoticed, in their order.
  private var volatile: [ClientID] = []
  /// Those that have left a delivery unread.
  private var suspects: Set<ClientID> = []
  /// The windows of the desktop, by what shows them.
  private var windows: [WindowSource: WindowState] = [:]
  package private(set) var nextDeadline: Instant?

  /// Creates a watch of the processes of a table; without one, all are assumed to be in use.
  package init(of table: (any ProcessTable)? = nil) {
    self.table = table
  }

  /// Begins to follow a process, and returns its lifecycle state; `nil` while that is only assumed.
  package mutating func follow(_ pid: Int32, as client: ClientID, at now: Instant) -> AppLife? {
    let facts = table?.facts(of: pid)
    var process = Followed(mark: facts?.mark, use: ObservedUse(isAssumed: table == nil))
    if let facts { judge(&process, facts) }
    followed[client] = process
    arrange(client, at: now)
    return process.use.isShown ? process.use.life : nil
  }

  package mutating func leave(_ client: ClientID) {
    followed[client] = nil
    suspects.remove(client)
    volatile.removeAll { $0 == client }
    if !isWaiting { nextDeadline = nil }
  }

  /// Notes that a client has left a delivery unread.
  package mutating func suspect(_ client: ClientID) {
    if followed[client] != nil { suspects.insert(client) }
  }

  /// Notes that a process was woken for an event, or is suspended again.
  package mutating func note(_ client: ClientID, woken isWoken: Bool) {
    followed[client]?.isWoken = isWoken
  }

  /// How a client's process is used, as last seen.
  package func use(of client: ClientID) -> ObservedUse {
    followed[client].map(Self.use) ?? ObservedUse(isAssumed: table == nil)
  }

  /// Who was woken for an event is not in use only because nothing shows otherwise.
  private static func use(of process: Followed) -> ObservedUse {
    var use = process.use
    if process.isWoken && !use.isShown { use.life = .background }
    return use
  }

  /// Returns the lifecycle states that have changed since the last call, in the order of the clients.
  package mutating func changes(at now: Instant) -> [(client: ClientID, life: AppLife)] {
    guard !volatile.isEmpty || !suspects.isEmpty else { return [] }
    let looked = volatile + suspects.subtracting(volatile).sorted()
    suspects.removeAll()
    return looked.compactMap { client in
      look(at: client, at: now).map { (client, $0) }
    }
  }

  /// Takes the windows that a source shows now, `nil` when it shows none any more, and returns the
  /// lifecycle states that have changed.
  package mutating func take(
    _ windows: WindowState?, from source: WindowSource, at now: Instant
  ) -> [(client: ClientID, life: AppLife)] {
    self.windows[source] = windows
    return followed.keys.sorted().compactMap { client in
      look(at: client, at: now).map { (client, $0) }
    }
  }

  private mutating func look(at client: ClientID, at now: Instant) -> AppLife? {
    // One that has ended, even if its number has passed on, leaves by its connection.
    guard let table, let before = followed[client], let mark = before.mark,
      let facts = table.facts(of: mark.pid), facts.mark == mark
    else { return nil }
    var process = before
    judge(&process, facts)
    if facts.isStopped { process.isWoken = false }
    followed[client] = process
    arrange(client, at: now)
    let life = Self.use(of: process).life
    return life == Self.use(of: before).life ? nil : life
  }

  private func judge(_ process: inout Followed, _ facts: ProcessFacts) {
    process.use = ObservedUse(
      facts, in: facts.terminal == 0 ? table?.controlGroup(of: facts.pid) : nil,
      hasFocus: focus(of: &process, facts.pid))
  }

  /// Whether one of its windows is active; `nil` if no source shows a window of it, or did.
  private func focus(of process: inout Followed, _ pid: Int32) -> Bool? {
    guard !windows.isEmpty else {
      process.sources = []
      return nil
    }
    let program = table?.program(of: pid)
    func contains(_ owners: Set<WindowOwner>) -> Bool {
      owners.contains(.process(pid)) || program.map { owners.contains(.program($0)) } ?? false
    }
    var isActive = false
    for source in WindowSource.allCases {
      guard let windows = windows[source] else {
        process.sources.remove(source)
        continue
      }
      if contains(windows.owners) { process.sources.insert(source) }
      isActive = isActive || contains(windows.active)
    }
    return process.sources.isEmpty ? nil : isActive
  }

  private mutating func arrange(_ client: ClientID, at now: Instant) {
    volatile.removeAll { $0 == client }
    if followed[client]?.use.isVolatile ?? false {
      volatile.insert(client, at: volatile.firstIndex { $0 > client } ?? volatile.endIndex)
    }
    nextDeadline = isWaiting ? now + Self.interval : nil
  }

  private var isWaiting: Bool { volatile.contains { followed[$0]?.use.isWaiting ?? false } }

  /// Chosen: how late a process that continues, or comes to the foreground of its terminal, is noticed.
  package static let interval = Duration.seconds(1)
}
