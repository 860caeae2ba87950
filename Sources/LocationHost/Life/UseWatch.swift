package import LocationModel

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
    /// Whether it has, or had, a window.
    var hasWindows = false
    /// Whether the process was woken for an event, and is not suspended again.
    var isWoken = false
  }

  private let table: (any ProcessTable)?
  private var followed: [ClientID: Followed] = [:]
  /// Those whose use can change unnoticed, in their order.
  private var volatile: [ClientID] = []
  /// Those that have left a delivery unread.
  private var suspects: Set<ClientID> = []
  /// The windows of the desktop; `nil` where nothing is known of them.
  private var windows: WindowState?
  package private(set) var nextDeadline: Instant?

  /// Creates a watch of the processes of a table; without one, all are assumed to be in use.
  package init(of table: (any ProcessTable)? = nil) {
    self.table = table
  }

  /// Begins to follow a process, and returns its lifecycle state; `nil` while that is only assumed.
  package mutating func follow(_ pid: Int32, as client: ClientID, at now: Instant) -> AppLife? {
    let facts = table?.facts(of: pid)
    var process = Followed(mark: facts?.mark, use: ObservedUse())
    if let facts { judge(&process, facts) }
    followed[client] = process
    arrange(client, at: now)
    return process.use.ground == .nothing ? nil : process.use.life
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
    followed[client].map(Self.use) ?? ObservedUse()
  }

  /// Who was woken for an event is not in use only because nothing shows otherwise.
  private static func use(of process: Followed) -> ObservedUse {
    var use = process.use
    if process.isWoken && use.ground == .nothing { use.life = .background }
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

  /// Takes the windows as they are now, and returns the lifecycle states that have changed.
  package mutating func take(
    _ windows: WindowState?, at now: Instant
  ) -> [(client: ClientID, life: AppLife)] {
    self.windows = windows
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
    process.hasWindows =
      windows.map { $0.owners.contains(facts.pid) || process.hasWindows } ?? false
    process.use = ObservedUse(
      facts, in: facts.terminal == 0 ? table?.controlGroup(of: facts.pid) : nil,
      hasFocus: process.hasWindows ? windows?.active == facts.pid : nil)
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
