import Glibc
import LocationEngine
package import LocationModel
import LocationProviders

extension LocationHost {
  /// Creates the host of an app's own process: configured sources, and only this app's state.
  package static func ofProcess(of client: ClientDescription) -> LocationHost {
    let environment = HostEnvironment.current
    let journal = HostEnvironment.journal
    return LocationHost(
      sources: environment.sources(noting: journal),
      keeper: environment.stateFolder(noting: journal).map {
        StateKeeper(
          folder: $0, owner: client.app, secrets: environment.secrets, noting: journal)
      },
      agents: environment.agents { journal(.source($0)) },
      limits: environment.limits(noting: journal), settings: environment.settings(noting: journal),
      observing: environment.useWatch(noting: journal),
      windows: environment.windowWatch(), sessions: environment.loginWatches(),
      indicator: environment.indicator(), simulatedAt: environment.simulationSocket,
      recordingTo: environment.recordingTarget, journal: journal)
  }
}

extension VerifiedProgram {
  /// Describes the program of this process, which states its own path.
  package init(ofThisProcess path: String) {
    self.init(path: path, user: getuid(), isProtected: OwnedFile.intruder(on: path) == nil)
  }
}
