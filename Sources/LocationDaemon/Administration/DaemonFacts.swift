import Glibc
package import LocationHost
package import LocationModel

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

  /// Whether the file of this daemon's program was replaced, or removed, since it began.
  var isReplaced: Bool { SmallFile.target(of: "/proc/self/exe")?.hasSuffix(" (deleted)") == true }

  /// That a decision is about nobody's program, perhaps: at the daemon of a system, which runs as a user
  /// of its own, a path alone names a program of that user; `nil` elsewhere.
  package func namesOwnUser(_ app: AppIdentity, runningAs user: UInt32 = getuid()) -> String? {
    guard options.isSystem, user != 0, app.path != nil, app.user == nil else { return nil }
    let path = app.base.escapedForDisplay()
    return
      "this is about the program of user \(user), as which the daemon runs; that of another user "
      + "is \(path)@UID: \(path)@0 for root, \(path)@1000 for the first person"
  }

  /// Why nothing can be decided about an app: what the user runs as whom the daemon itself does has no user
  /// behind its name, so that no program ever has this one; `nil` for another app.
  func refusal(
    of app: AppIdentity, runningAs user: UInt32 = getuid()
  ) -> AdministrationFault? {
    guard app.user == user else { return nil }
    return AdministrationFault(
      reason: "apps of user \(user), as which the daemon runs, have no @\(user) behind their names",
      next: "locationctl authorize \(app.base.quotedForShell)")
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
