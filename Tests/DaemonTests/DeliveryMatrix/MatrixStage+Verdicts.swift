import Foundation
import LocationEngine
import TestSupport

/// What each app received, against the table.
extension MatrixStage {
  /// Runs the stage, and returns what went wrong, by the row.
  func run() async throws -> [Int: String] {
    try await prepare()
    try await reach()
    try await happen()
    switch place {
    case .foreground, .backgroundInUse, .background: await judgeRunning()
    case .suspended: await judgeSuspended()
    case .dead, .quit: await judgeAbsent()
    }
    return Dictionary(
      apps.compactMap { app in faults[app.key].map { (app.row, "\(app.key): \($0)") } }
    ) { "\($0); \($1)" }
  }

  private func action(of app: MatrixApp) -> DeliveryRule.Action {
    MatrixCell(row: app.row, place: place).action
  }

  private func apps(_ actions: DeliveryRule.Action...) -> [MatrixApp] {
    apps.filter { actions.contains(action(of: $0)) }
  }

  private func check(_ app: MatrixApp, _ body: () async throws -> Void) async {
    guard faults[app.key] == nil else { return }
    do { try await body() } catch { faults[app.key] = "\(error)" }
  }

  private func receives(_ app: MatrixApp, after start: Int? = nil) async {
    await check(app) { try await lines.wait(for: app.sign, of: app.key, after: start ?? mark) }
  }

  /// Has the app's connection carry two questions and their answers; returns the place of the last.
  private func answer(of app: MatrixApp) async throws -> Int {
    guard let pid = lines.process(of: app.key) else { throw Missing(description: "no process") }
    var place = lines.count
    for _ in 0..<2 {
      kill(pid, SIGUSR1)
      place = try await lines.wait(for: "pong", of: app.key, after: place, by: pid) + 1
    }
    return place
  }

  private func fail(_ text: String) throws -> Never { throw Missing(description: text) }

  /// The question whether the app may always know was put; the person says yes.
  private func consent(_ app: MatrixApp) async {
    await check(app) {
      try await log.first("second prompt") { $0.contains("Nobody can be asked") }
      let early = lines.lines(of: app.key, from: mark, to: lines.count, app.sign)
      if !early.isEmpty { try fail("it received the event before the answer") }
      try authorize(app, "always")
    }
  }

  /// Starts an app that does not run by hand, in the foreground of its terminal.
  private func open(_ app: MatrixApp) async {
    await check(app) {
      let start = lines.count
      try await job.run(command(of: app))
      try await job.front()
      try await lines.wait(for: app.sign, of: app.key, after: start)
    }
  }

  // MARK: Running

  private func judgeRunning() async {
    for app in apps(.deliver) { await receives(app) }
    for app in apps(.nothing, .hold) {
      await check(app) {
        let end = try await answer(of: app)
        let early = lines.lines(of: app.key, from: mark, to: end, app.sign)
        if !early.isEmpty { try fail("it received \(early[0].words)") }
        guard app.entry.explainsAbsence else { return }
        try await lines.wait(for: "insufficientlyInUse", of: app.key, after: left)
      }
    }
    for app in apps(.holdAndAsk) {
      await consent(app)
      await receives(app)
    }
    await comeBack()
  }

  /// Brings the apps that received nothing to the front: what was held comes, and what was not
  /// delivered works again.
  private func comeBack() async {
    guard !apps(.nothing, .hold).isEmpty else { return }
    let front = lines.count
    do { try await job.front() } catch { return }
    for app in apps(.hold) {
      send(SIGUSR1, to: app)
      await receives(app, after: front)
    }
    // A visit that was not delivered is not delivered later.
    for app in apps(.nothing) where app.service == .visits {
      await check(app) {
        let end = try await answer(of: app)
        let late = lines.lines(of: app.key, from: front, to: end, app.sign)
        if !late.isEmpty { try fail("it received the visit later") }
      }
    }
    happenAgain()
    for app in apps(.nothing) { await receives(app, after: front) }
  }

  // MARK: Suspended

  private func judgeSuspended() async {
    for app in apps(.wake) { await receives(app) }
    let asleep = apps(.queue, .queueLatest, .nothing, .hold)
    for app in asleep + apps(.holdAndAsk) {
      await check(app) { if !isStopped(app) { try fail("it was continued") } }
    }
    for app in apps(.holdAndAsk) {
      await consent(app)
      await receives(app)
    }
    let time = Date().timeIntervalSince1970
    for app in asleep { send(SIGCONT, to: app) }
    for app in asleep {
      await check(app) {
        let end = try await answer(of: app)
        let received = lines.lines(of: app.key, from: mark, to: end, app.sign)
          .filter { !isNew($0, since: time) }
        switch action(of: app) {
        // What it has when it continues may be one, the last; three were received.
        case .queue:
          let isQueued = received.count >= (app.service == .standard ? 2 : 1)
          if !isQueued { try fail("it received \(received.count) of what was queued") }
        case .queueLatest:
          if received.count != 1 { try fail("it received \(received.count) elements") }
        default: if !received.isEmpty { try fail("it received \(received[0].words)") }
        }
      }
    }
    await comeBack()
  }

  private func isStopped(_ app: MatrixApp) -> Bool {
    guard let pid = lines.process(of: app.key),
      let stat = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
    else { return false }
    return stat.contains(") T ")
  }

  /// Whether a line is about a beacon that was received after the app continued.
  private func isNew(_ line: ReportedLine, since time: Double) -> Bool {
    guard line.words.hasPrefix("ranged "), let seen = Double(line.words.dropFirst(7)) else {
      return false
    }
    return seen > time - 1.5
  }

  // MARK: Absent

  private func judgeAbsent() async {
    let launched = apps(.launch) + (honorsQuit ? [] : apps(.launchUnlessQuit))
    for app in launched {
      await check(app) {
        try await lines.wait(for: "started location", of: app.key, after: mark)
        try await lines.wait(for: "ready", of: app.key, after: mark)
      }
    }
    goOn()
    for app in launched { await receives(app) }
    let absent = apps.filter { app in !launched.contains { $0.key == app.key } }
    await areNotStarted(absent)
    for app in apps(.holdAndAsk) {
      await consent(app)
      // Then it is as one that may always know.
      if honorsQuit { await areNotStarted([app]) } else { await receives(app) }
    }
    for app in apps(.hold) { await open(app) }
    for app in apps(.nothing) where app.service == .visits { await missed(app) }
  }

  /// Starts an app by hand, which does not receive what happened while it did not run.
  private func missed(_ app: MatrixApp) async {
    await check(app) {
      let start = lines.count
      try await job.run(command(of: app))
      try await job.front()
      let end = try await lines.wait(for: "ready", of: app.key, after: start)
      let late = lines.lines(of: app.key, from: start, to: end, app.sign)
      if !late.isEmpty { try fail("it received the visit later") }
    }
  }

  private func areNotStarted(_ apps: [MatrixApp]) async {
    // Every step before this answer is over.
    _ = try? daemon.control("apps")
    let programs = Self.runningPrograms()
    for app in apps {
      await check(app) {
        if programs.contains(program(of: app.key)) { try fail("it was started") }
      }
    }
  }

  /// The paths of the programs of all processes.
  private static func runningPrograms() -> Set<String> {
    let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return Set(
      processes.compactMap {
        Int32($0) == nil
          ? nil : try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\($0)/exe")
      })
  }
}
