import CLinux
import CSystemd
import Glibc
import LocationModel
package import LocationProviders

/// The bus on which a person's Secret Service is, for one errand at a time (docs/decisions/0119).
///
/// The caller waits on its own thread, so every errand is short. What goes over the bus is not encrypted
/// once more: the socket must be this machine's, and the bus this user's own.
package struct SecretBus: Hashable, Sendable {
  private let address: String

  package init(address: String) { self.address = address }

  /// The bus of the session that the variables name; `nil` if they name none, or want none.
  package static func ofSession(_ variables: [String: String]) -> SecretBus? {
    guard variables[variable] != "no", let address = SessionBus.address(variables) else {
      return nil
    }
    return SecretBus(address: address)
  }

  /// Whether the Secret Service is used: `no` keeps this process away from it.
  package static let variable = "CORELOCATION_SECRET_SERVICE"

  /// What the bus has brought and the errand has not seen.
  private final class Inbox {
    private var events: [BusEvent] = []

    func put(_ event: ChannelEvent) {
      if case .bus(let event) = event { events.append(event) }
    }

    func take() -> [BusEvent] {
      defer { events = [] }
      return events
    }
  }

  /// Carries out an errand, and waits until it has ended: at most so long.
  package func run(_ purpose: SecretErrand.Purpose, within timeout: Duration) -> SecretOutcome {
    guard address.split(separator: ";").allSatisfy({ $0.hasPrefix("unix:") }) else {
      return .failed("the address of its bus is not that of a socket of this computer")
    }
    let inbox = Inbox()
    do throws(BusFault) {
      let bus = try BusConnection(address: address, holdsSecrets: true) { inbox.put($0) }
      defer { bus.end() }
      try bus.listen()
      guard bus.isOfThisUser else {
        return .failed("the bus at \(address) is another user's")
      }
      return Self.run(SecretErrand(purpose, within: timeout), over: bus, inbox)
    } catch {
      guard ![ENOENT, ECONNREFUSED].contains(error.code) else { return .absent }
      return .failed("\(Errno(code: error.code, call: "connect \(address)"))")
    }
  }

  private static func run(
    _ errand: SecretErrand, over bus: BusConnection, _ inbox: Inbox
  ) -> SecretOutcome {
    var errand = errand
    var outputs = errand.handle(.begin, at: HostClock.now)
    while true {
      for output in outputs {
        switch output {
        case .bus(let action): bus.carryOut(action)
        case .done(let outcome): return outcome
        }
      }
      var events = inbox.take()
      if events.isEmpty {
        let isOpen = bus.wait(until: errand.nextDeadline ?? HostClock.now.uptime)
        events = isOpen ? inbox.take() : [.disconnected]
      }
      outputs = events.flatMap { errand.handle(.bus($0), at: HostClock.now) }
      outputs += errand.handle(.wake, at: HostClock.now)
    }
  }
}

extension BusConnection {
  /// Waits on this thread for the bus, and handles what it has brought; `false` if the connection is gone.
  fileprivate func wait(until deadline: Instant) -> Bool {
    let rest = max(.zero, deadline - HostClock.now.uptime).wholeNanoseconds / 1000
    let result = sd_bus_wait(bus, UInt64(rest))
    return (result >= 0 || result == -EINTR) && process()
  }

  /// Whether the program behind the socket is this user's: whoever can bind a name could otherwise play
  /// the bus.
  fileprivate var isOfThisUser: Bool {
    var (pid, user, group): (Int32, UInt32, UInt32) = (0, 0, 0)
    let descriptor = sd_bus_get_fd(bus)
    return descriptor >= 0 && linux_peer_credentials(descriptor, &pid, &user, &group) == 0
      && user == geteuid()
  }
}

extension SecretOutcome {
  /// Removes the secret that was found, so that no copy of its bytes stays behind.
  mutating func takeSecret() -> [UInt8]? {
    guard case .found(let secret) = self else { return nil }
    self = .missing
    return secret
  }
}
