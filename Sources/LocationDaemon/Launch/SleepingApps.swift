import CLinux
import Glibc
import LocationHost
import LocationModel

/// Wakes apps that are suspended when an event is delivered to them, and suspends them again when the
/// time for it is over (docs/decisions/0079).
struct SleepingApps {
  /// How a process is suspended.
  private enum Sleep: Hashable {
    /// Its unit is frozen.
    case frozen(unit: String)
    /// A signal has stopped it.
    case stopped(ProcessMark)
  }

  private let launcher: (any AppLaunching)?
  private let noting: (AppIdentity, String) -> Void
  private var woken: [AppIdentity: [Sleep]] = [:]
  /// Apps of which it is noted that they cannot be woken.
  private var noted: Set<AppIdentity> = []

  init(wakingBy launcher: (any AppLaunching)?, noting: @escaping (AppIdentity, String) -> Void) {
    self.launcher = launcher
    self.noting = noting
  }

  /// Wakes a process of an app if it is suspended, and returns whether that was possible.
  mutating func wake(_ process: ProcessMark, of app: AppIdentity) -> Bool {
    guard let sleep = sleep(of: process) else { return false }
    if (woken[app] ?? []).contains(sleep) { return true }
    if let obstacle = obstacle(to: sleep, of: app) ?? change(sleep, toAwake: true) {
      if noted.insert(app).inserted {
        noting(app, "an event waits until it continues: \(obstacle)")
      }
      return false
    }
    woken[app, default: []].append(sleep)
    return true
  }

  /// Suspends again what was woken for an event whose time is over.
  mutating func runtimeIsOver(of app: AppIdentity) {
    for sleep in woken.removeValue(forKey: app) ?? [] {
      if let fault = change(sleep, toAwake: false) {
        noting(app, "cannot be suspended again: \(fault)")
      }
    }
  }

  /// Forgets an app that has ended.
  mutating func forget(_ app: AppIdentity) {
    woken[app] = nil
    noted.remove(app)
  }

  private func sleep(of process: ProcessMark) -> Sleep? {
    guard let facts = RunningProcesses().facts(of: process.pid), facts.mark == process else {
      return nil
    }
    if facts.isStopped { return .stopped(process) }
    guard let group = ControlGroup(ofProcess: process.pid), group.isFrozen else { return nil }
    return .frozen(unit: group.unit ?? "")
  }

  private func obstacle(to sleep: Sleep, of app: AppIdentity) -> String? {
    switch sleep {
    case .frozen(""): "no unit of systemd has frozen it"
    case .frozen: nil
    case .stopped where launcher?.mayContinue(app) ?? false: nil
    case .stopped: "it is stopped, and its registration has no line continue = yes"
    }
  }

  private func change(_ sleep: Sleep, toAwake: Bool) -> String? {
    switch sleep {
    case .frozen(let unit): return launcher?.freeze(unit, !toAwake)
    case .stopped(let process):
      let code = process.signal(toAwake ? SIGCONT : SIGSTOP)
      return code == 0 ? nil : Errno(code: code, call: "pidfd_send_signal").description
    }
  }
}

extension ProcessMark {
  /// Sends a signal to this process, and to no later one with its number; returns an errno, or 0.
  fileprivate func signal(_ number: Int32) -> Int32 {
    let process = linux_open_process(pid)
    guard process >= 0 else { return -process }
    defer { close(process) }
    guard RunningProcesses().facts(of: pid)?.mark == self else { return ESRCH }
    return linux_signal_process(process, number)
  }
}
