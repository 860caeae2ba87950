import Glibc
package import LocationHost
import LocationModel

/// What a daemon can say of itself, and how it starts over.
package struct DaemonFacts: Sendable {
  let pid = getpid()
  /// When it began to serve.
  let since = HostClock.now.unixTime
  let folder: StateFolder
  /// Folders in which Flatpak installs apps, beside the system's and each user's own.
  let flatpaks: [String]
  private let options: DaemonOptions
  private let variables: [String: String]

  /// A daemon whose state is in a folder.
  package init(
    folder: StateFolder, options: DaemonOptions, variables: [String: String],
    flatpaks: [String] = []
  ) {
    self.folder = folder
    self.flatpaks = flatpaks
    self.options = options
    self.variables = variables
  }

  /// Whether it could start over now.
  func checkConfiguration() throws(AdministrationFault) {
    do throws(DaemonFault) { _ = try options.configuration(variables) } catch {
      throw AdministrationFault(reason: "the configuration has a fault: \(error.reason)")
    }
  }

  /// As on SIGHUP: the same process with the same socket and a new engine.
  func startOver() {
    kill(pid, SIGHUP)
  }
}
