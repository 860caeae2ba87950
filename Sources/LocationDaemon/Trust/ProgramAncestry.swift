package import LocationHost

/// A process and its ancestors, the process first.
package struct ProgramAncestry: Sendable {
  package let chain: [ProcessFacts]

  /// Why the ancestors of a process cannot be determined.
  package struct Fault: Error, Hashable, Sendable {
    package var reason: String
  }

  /// Reads the parents of a process, up to the first one of the machine.
  ///
  /// A parent counts only if its child still names it, so that a reused number is not mistaken.
  package init(of pid: Int32, in table: some ProcessTable) throws(Fault) {
    // Parents may end while they are read.
    for _ in 0..<Self.attempts {
      if let chain = try Self.read(pid, table) {
        self.chain = chain
        return
      }
    }
    throw Fault(reason: "who has started process \(pid) changes while it is looked at")
  }

  private static func read(
    _ pid: Int32, _ table: some ProcessTable
  ) throws(Fault) -> [ProcessFacts]? {
    guard let first = table.facts(of: pid) else {
      throw Fault(reason: "process \(pid) has ended")
    }
    var chain = [first]
    while let child = chain.last, child.parent > 0 {
      guard chain.count < longest else {
        throw Fault(reason: "process \(pid) has more than \(longest) parents")
      }
      guard let parent = table.facts(of: child.parent),
        parent.mark.start <= child.mark.start,
        table.facts(of: child.pid)?.parent == child.parent
      else { return nil }
      chain.append(parent)
    }
    return chain
  }

  /// Returns when the app of a process began: when the process did, or the first of the parents above it
  /// that run the same program; 0 if it cannot be seen who started that one, because it has ended.
  package static func begin(of chain: [ProcessFacts], in table: some ProcessTable) -> UInt64 {
    guard let first = chain.first, let program = table.program(of: first.pid) else { return 0 }
    let own = chain.prefix { table.program(of: $0.pid) == program }
    guard let top = own.last, chain.indices.contains(own.endIndex) else {
      return own.last?.mark.start ?? 0
    }
    let parent = chain[own.endIndex]
    let isLeft =
      parent.pid == 1 || table.controlGroup(of: parent.pid) != table.controlGroup(of: top.pid)
    return isLeft ? 0 : top.mark.start
  }

  private static let attempts = 3
  /// The longest chain. Chosen: a shell in a shell in a shell has a dozen.
  package static let longest = 64
}

/// A program that is an app's when a user runs it.
///
/// Another user who runs it as an app, such as a shell into which a library was preloaded, says nothing of
/// this user's: else any user could keep the owner from administering.
package struct AppProgram: Hashable, Sendable {
  package var path: String
  package var user: UInt32

  package init(path: String, user: UInt32) {
    (self.path, self.user) = (path, user)
  }
}

/// A process that shows questions to a person.
package struct Shower: Hashable, Sendable {
  package enum Program: Hashable, Sendable {
    /// The owner has registered it to answer; it may be an app as well.
    case registered
    /// Its file is root's. It may be the interpreter of apps and of a desktop's own scripts: so one that runs
    /// it, and is none of an app's processes, is no app.
    case system
    case other
  }

  package var pid: Int32
  package var program: Program
  /// The process that traces it; 0 for none.
  package var tracer: Int32

  package init(pid: Int32, program: Program = .other, tracer: Int32 = 0) {
    (self.pid, self.program, self.tracer) = (pid, program, tracer)
  }
}

/// Decides whether a process belongs to an app: whether it is one, was started by one, or was left
/// behind by one.
package struct AncestryJudge<Table: ProcessTable> {
  let table: Table
  let served: ServedProcesses
  /// The programs of apps that are known, whether they run or not.
  let apps: Set<AppProgram>
  /// Whether the owner has registered the program of a process to administer; such a program may
  /// also be an app.
  let isOwners: (ProcessFacts) -> Bool

  package init(
    _ table: Table, served: ServedProcesses, apps: Set<AppProgram>,
    isOwners: @escaping (ProcessFacts) -> Bool
  ) {
    (self.table, self.served, self.apps, self.isOwners) = (table, served, apps, isOwners)
  }

  /// Returns why a process is an app's; `nil` if the kernel shows no app among its ancestors.
  ///
  /// `evenIfIdle`: whether a process that runs the program of an app counts even if it has not
  /// connected.
  package func fault(of pid: Int32, evenIfIdle: Bool = false) -> String? {
    do throws(ProgramAncestry.Fault) {
      return fault(of: try ProgramAncestry(of: pid, in: table).chain, evenIfIdle: evenIfIdle)
    } catch { return error.reason }
  }

  /// Looks for why what a process shows may not reach a person, or its buttons may be pressed by an app.
  ///
  /// - Parameters:
  ///   - shower: the process, and whose its program is.
  ///   - user: the person's user.
  /// - Returns: the reason; `nil` if nothing indicates that.
  package func fault(shownBy shower: Shower, to user: UInt32) -> String? {
    let pid = shower.pid
    guard table.user(of: pid) == user else {
      return "process \(pid), which shows its notifications, is not of user \(user), or has ended"
    }
    guard shower.tracer == 0 else {
      return "process \(shower.tracer) traces process \(pid), which shows its notifications"
    }
    guard shower.program != .registered else { return nil }
    return fault(of: pid, evenIfIdle: shower.program == .other)
      .map { "its notifications are shown by an app: \($0)" }
  }

  func fault(of chain: [ProcessFacts], evenIfIdle: Bool = false) -> String? {
    for (index, process) in chain.enumerated() {
      let parent = chain.indices.contains(index + 1) ? chain[index + 1] : nil
      let fault =
        servedFault(of: process)
        ?? (index > 0 || evenIfIdle ? programFault(of: process, below: parent, chain[0]) : nil)
        ?? orphanFault(of: process, below: parent)
      if let fault { return fault }
    }
    return nil
  }

  private func servedFault(of process: ProcessFacts) -> String? {
    guard let app = served.processes[process.mark]?.app, !isOwners(process) else { return nil }
    return "process \(process.pid) is served as the app \(app)"
  }

  private func programFault(
    of process: ProcessFacts, below parent: ProcessFacts?, _ first: ProcessFacts
  ) -> String? {
    guard let program = table.program(of: process.pid) else {
      // The program that begins a session may be hidden, such as the server of a remote login. A
      // hidden program below that may be an app.
      let user = table.user(of: first.pid)
      guard let parent, table.user(of: process.pid) == user, table.user(of: parent.pid) == user
      else { return nil }
      return "the program of process \(process.pid) cannot be seen"
    }
    guard let user = table.user(of: process.pid),
      apps.contains(AppProgram(path: program, user: user)), !isOwners(process)
    else { return nil }
    return "process \(process.pid) runs the app \(program)"
  }

  /// Finds the app of a process without its parent, by its session or its control group.
  ///
  /// A process whose parent has ended is given to another one, most often to the first. That shows in
  /// its session, which is not its new parent's; in a container the first process may be in the
  /// session of all others, and then each of its children counts as left behind.
  private func orphanFault(of process: ProcessFacts, below parent: ProcessFacts?) -> String? {
    guard let parent else { return nil }
    let isLeader = process.session == process.pid
    if !isLeader, process.session != parent.session || parent.pid == 1 {
      let apps = served.processes.filter { mark, app in
        app.session == process.session && mark != process.mark
          && !app.ancestors.contains(process.mark)
      }
      if let app = apps.values.map(\.app).min() {
        return "process \(process.pid) was left behind in the session of the app \(app)"
      }
    }
    guard let group = table.controlGroup(of: process.pid) else { return nil }
    guard Self.isOwn(group) else { return latecomerFault(of: process, below: parent, group) }
    guard group != table.controlGroup(of: parent.pid) else { return nil }
    let apps = served.processes.filter { mark, app in
      app.controlGroup == group && mark != process.mark && !app.ancestors.contains(process.mark)
        && table.facts(of: mark.pid)?.mark == mark
    }
    return apps.values.map(\.app).min().map {
      "process \(process.pid) is in the control group of the app \($0)"
    }
  }

  /// Finds the app of a process without its parent in the control group of a login or a terminal,
  /// where it has a session of its own: one that began after an app of its user there.
  ///
  /// What the person starts there has a parent that began before, or is the login itself. An app may leave
  /// a process behind first, and then connect in another one of its own: so it began when the first of its
  /// processes did, and at any time where that has ended, too.
  private func latecomerFault(
    of process: ProcessFacts, below parent: ProcessFacts, _ group: String
  ) -> String? {
    guard parent.pid == 1 || table.controlGroup(of: parent.pid) != group else { return nil }
    let user = table.user(of: process.pid)
    let apps = served.processes.filter { mark, app in
      app.controlGroup == group && app.user == user && mark != process.mark
        && app.began <= process.mark.start && !app.ancestors.contains(process.mark)
    }
    guard let app = apps.values.min(by: { ($0.app, $0.began) < ($1.app, $1.began) }) else {
      return nil
    }
    let isLeft = app.began == 0
    return "process \(process.pid) has no parent, and "
      + (isLeft
        ? "neither has the app \(app.app) in the same login, which may have started it"
        : "began in the login of the app \(app.app) after it")
  }

  /// Whether a control group is made for one app or service, and not for a login or a terminal.
  static func isOwn(_ group: String) -> Bool {
    guard let name = group.split(separator: "/").last,
      name.hasSuffix(".scope") || name.hasSuffix(".service")
    else { return false }
    let shared = ["session-", "user@", "init.scope", "vte-spawn-", "tmux-spawn-"]
    return !shared.contains { name.hasPrefix($0) }
  }
}
