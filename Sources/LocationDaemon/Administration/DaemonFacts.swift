import Glibc
package import LocationHost
import LocationModel

/// The daemon's description of itself, and the way to restart it.
package struct DaemonFacts: Sendable {
  let pid = getpid()
  /// The time at which it began to serve.
  let since = HostClock.now.unixTime
  let folder: StateFolder
  /// Folders in which Flatpak installs apps, beside the system's and each user's own.
  let flatpaks: [String]
  /// Whether the owner may set the place from outside (SIM-15).
  let allowsSimulation: Bool
  private let options: DaemonOptions
  private let variables: [String: String]

  /// Creates the facts of a daemon whose state is in a folder.
  package init(
    folder: StateFolder, options: DaemonOptions, variables: [String: String],
    flatpaks: [String] = [], allowsSimulation: Bool = false
  ) {
    self.folder = folder
    self.flatpaks = flatpaks
    self.allowsSimulation = allowsSimulation
    self.options = options
    self.variables = variables
  }

  /// The folder of the owner's launch registrations.
  var launch: String? {
    (try? options.configuration(variables).launch) ?? options.launchFolder(variables)
  }

  /// Checks that the daemon could restart with its configuration now.
  func checkConfiguration() throws(AdministrationFault) {
    do throws(DaemonFault) { _ = try options.configuration(variables) } catch {
      throw AdministrationFault(reason: "the configuration has a fault: \(error.reason)")
    }
  }

  /// Restarts as on SIGHUP: the same process and socket, a new engine.
  func startOver() {
    kill(pid, SIGHUP)
  }
}
