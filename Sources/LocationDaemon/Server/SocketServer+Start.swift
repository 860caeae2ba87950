import LocationHost
import LocationLink
import LocationModel
import LocationProviders

// When everything that the configuration wants served is there, and others may begin to rely on it.
extension SocketServer {
  /// Calls `body` on the queue, once: when all that was to be served before this is there, or is not for a
  /// reason in the log; without a bus that is silent for some seconds (GEOCLUE-17).
  nonisolated package func whenServing(_ body: @escaping @Sendable () -> Void) {
    enter { $0.awaitServices(body) }
  }

  private func awaitServices(_ body: @escaping @Sendable () -> Void) {
    begun = body
    settleStart()
    guard begun != nil else { return }
    enter(at: host.now.uptime + Self.longestStart) { $0.giveUpWaiting() }
  }

  /// The socket, gpsd's port, and the uplink are settled by the time that this is asked; a bus answers later.
  func settleStart() {
    guard !geoclue.isOn || geoclue.name.standing != nil else { return }
    begun?()
    begun = nil
  }

  private func giveUpWaiting() {
    guard let body = begun else { return }
    begun = nil
    let seconds = Self.longestStart.wholeNanoseconds / 1_000_000_000
    journal.write(
      .service,
      "does not have the name \(GeoClue.name) yet: the bus has not answered within "
        + "\(seconds) s, and is not waited for",
      isFault: true)
    body()
  }

  /// Chosen: longer than a bus takes that starts with the machine, and much shorter than the 90 seconds after
  /// which systemd gives a start up.
  private static let longestStart = Duration.seconds(10)
}
