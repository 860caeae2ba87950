import Glibc
import LocationEngine
import LocationModel
import LocationProviders
import LocationService

/// The watches of the sessions of persons.
package struct LoginWatches: Sendable {
  /// Of logind; `nil` where it is not asked.
  package var login: LoginWatch?
  /// Of the screen saver of this process's session; `nil` without a session.
  package var screen: LoginWatch?
  /// Whether apps are launched only once their user has unlocked a session (LIFE-7).
  package var awaitsUnlock = false

  package init(
    login: LoginWatch? = nil, screen: LoginWatch? = nil, awaitsUnlock: Bool = false
  ) {
    (self.login, self.screen, self.awaitsUnlock) = (login, screen, awaitsUnlock)
  }

  /// Ends all watches.
  func end() {
    login?.end()
    screen?.end()
  }
}

// What the sessions of persons say: who has unlocked one, and when a display turns on.
extension LocationHost {
  /// Begins to follow who has unlocked a session; until that is known, launches wait.
  func beginToAwaitUnlock() {
    guard sessions.awaitsUnlock, let login = sessions.login else { return }
    step(.engine(.unlocked(UnlockedUsers(own: getuid(), users: nil))))
    follow(login)
  }

  /// Follows the display as soon as a beacon region asks for that (BEACON-24).
  func settleDisplay() {
    guard !followsDisplay, core.engine.watchesDisplay else { return }
    followsDisplay = true
    for watch in [sessions.login, sessions.screen].compactMap(\.self) { follow(watch) }
  }

  private func follow(_ watch: LoginWatch) {
    watch.begin { [weak self] output in self?.enter { $0.take(output) } }
  }

  private func take(_ output: SessionOutput) {
    switch output {
    case .unlocked(let users):
      guard sessions.awaitsUnlock else { return }
      step(.engine(.unlocked(users.map { UnlockedUsers(own: getuid(), users: $0) })))
    case .displayOn(let user):
      guard followsDisplay else { return }
      step(.engine(.display(user: user == getuid() ? nil : user)))
    case .bus: break
    }
  }
}
