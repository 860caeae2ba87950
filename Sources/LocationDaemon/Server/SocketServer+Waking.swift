import CLinux
import Dispatch
import Glibc
import LocationEngine
import LocationHost
import LocationLink
import LocationModel

/// Wakes suspended processes, as ``SleepingApps`` decides.
extension SocketServer {
  /// Wakes the suspended processes of an app for an event that is queued for it.
  func wake(_ app: AppIdentity) {
    for number in connections.keys.sorted() {
      guard let connection = connections[number], connection.app == app,
        let client = connection.client
      else { continue }
      if let sleep = Self.sleep(of: connection.peer.mark) {
        stepSleep(.event(app, sleep, client))
      } else {
        // Its framework says that it is suspended, and it runs.
        host.enter { $0.noteWoken(client) }
      }
    }
  }

  /// Has the use of an app judged as that of one that is woken, before the kernel reports the thaw.
  private func expect(_ app: AppIdentity, woken: Bool) {
    for connection in connections.values where connection.app == app {
      guard let client = connection.client else { continue }
      host.enter { $0.expect(client, woken: woken) }
    }
  }

  /// Hands an input to the machine, and carries out its outputs.
  func stepSleep(_ input: SleepingApps.Input) {
    if case .answered(let app, _, .some) = input { expect(app, woken: false) }
    for output in sleeping.handle(input, at: host.now) {
      switch output {
      case .wake(let app, let sleep):
        expect(app, woken: true)
        wake(sleep, of: app)
      case .suspend(let app, let sleep): suspend(sleep, of: app)
      case .woken(let clients):
        for client in clients { host.enter { $0.noteWoken(client) } }
      case .refused(let app, let fault):
        noteSleep(app, "an event waits until it continues: \(fault)")
      }
    }
  }

  private func wake(_ sleep: SleepingApps.Sleep, of app: AppIdentity) {
    switch sleep {
    case .frozen(""): answer(sleep, of: app, "no unit of systemd has frozen it")
    case .frozen(let unit):
      guard let launcher = host.launcher else { return answer(sleep, of: app, Self.noLauncher) }
      launcher.freeze(unit, false) { [weak self] fault in self?.later(sleep, of: app, fault) }
    case .stopped(let process):
      guard host.launcher?.mayContinue(app) ?? false else {
        return answer(
          sleep, of: app, "it is stopped, and its registration has no line continue = yes")
      }
      answer(sleep, of: app, process.send(SIGCONT))
    }
  }

  private func suspend(_ sleep: SleepingApps.Sleep, of app: AppIdentity) {
    switch sleep {
    case .frozen(let unit):
      host.launcher?.freeze(unit, true) { [weak self] fault in
        self?.noteLater(app, fault)
      }
    case .stopped(let process): noteSuspended(app, process.send(SIGSTOP))
    }
  }

  /// Takes an answer at once, which is in the middle of a step of the engine.
  private func answer(_ sleep: SleepingApps.Sleep, of app: AppIdentity, _ fault: String?) {
    stepSleep(.answered(app, sleep, fault: fault))
  }

  /// Takes an answer that came on another queue.
  private nonisolated func later(
    _ sleep: SleepingApps.Sleep, of app: AppIdentity, _ fault: String?
  ) {
    queue.async { [weak self] in
      self?.onQueue { $0.stepSleep(.answered(app, sleep, fault: fault)) }
    }
  }

  private nonisolated func noteLater(_ app: AppIdentity, _ fault: String?) {
    queue.async { [weak self] in self?.onQueue { $0.noteSuspended(app, fault) } }
  }

  private func noteSuspended(_ app: AppIdentity, _ fault: String?) {
    if let fault { noteSleep(app, "cannot be suspended again: \(fault)") }
  }

  private func noteSleep(_ app: AppIdentity, _ text: String) {
    guard let record = LogRecord(.asleep(app, text), at: host.now.unixTime) else { return }
    journal.write(record, from: LogCaller(app: app.name))
  }

  private static func sleep(of process: ProcessMark) -> SleepingApps.Sleep? {
    guard let facts = RunningProcesses().facts(of: process.pid), facts.mark == process else {
      return nil
    }
    if facts.isStopped { return .stopped(process) }
    guard let group = ControlGroup(ofProcess: process.pid), group.isFrozen else { return nil }
    return .frozen(unit: group.unit ?? "")
  }

  private static let noLauncher = "this daemon starts and wakes no apps"
}

extension ProcessMark {
  /// Sends a signal to this process, and to no later one with its number; returns why it could not.
  fileprivate func send(_ number: Int32) -> String? {
    let code = signal(number)
    return code == 0 ? nil : Errno(code: code, call: "pidfd_send_signal").description
  }

  /// Returns an errno, or 0.
  private func signal(_ number: Int32) -> Int32 {
    let process = linux_open_process(pid)
    guard process >= 0 else { return -process }
    defer { close(process) }
    guard RunningProcesses().facts(of: pid)?.mark == self else { return ESRCH }
    return linux_signal_process(process, number)
  }
}
