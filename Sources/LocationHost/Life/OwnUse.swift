import Glibc
package import LocationModel
import Synchronization

/// Follows whether this process is in use, as the windows of its desktop show it, for a daemon that
/// cannot see them (docs/decisions/0079).
///
/// What an app's own process reports counts as little as what its framework reports.
package final class OwnUse: Sendable {
  private struct State {
    var uses = UseWatch(of: RunningProcesses())
    /// The last state that was reported; `nil` before the first.
    var reported: AppLife?
  }

  private static let client = ClientID(1)
  private let windows: WindowWatch
  private let state = Mutex(State())

  /// Creates a watch for an app of the daemon behind a socket; `nil` without a desktop, and for the
  /// daemon of this user, which sees the windows itself.
  package init?(_ environment: HostEnvironment, socket: String) {
    guard socket != DaemonSocket.ofUser(environment.variables),
      let windows = environment.windowWatch()
    else { return nil }
    self.windows = windows
  }

  /// Calls `report`, on any thread, with each state that windows show; in the background once they
  /// show none any more.
  package func begin(_ report: @escaping @Sendable (AppLife) -> Void) {
    state.withLock { _ = $0.uses.follow(getpid(), as: Self.client, at: HostClock.now.uptime) }
    windows.begin { [weak self] event in
      guard case .windows(let source, let windows) = event, let self else { return }
      let life = self.state.withLock { state -> AppLife? in
        _ = state.uses.take(windows, from: source, at: HostClock.now.uptime)
        let use = state.uses.use(of: Self.client)
        let life = use.ground == .window ? use.life : state.reported.map { _ in .background }
        guard life != state.reported else { return nil }
        state.reported = life
        return life
      }
      if let life { report(life) }
    }
  }
}
