import LocationEngine
import LocationModel
import LocationProviders
import LocationService

// The person sees which apps use the location (BGA-5, BGA-15, HEAD-9).
extension LocationHost {
  /// Begins to take what the person does in the indicator's menu.
  func beginToShowUses() {
    indicator?.begin { [weak self] event in self?.enter { $0.take(event) } }
  }

  private func take(_ event: IndicatorAgent.Event) {
    switch event {
    case .stop(let app): step(.engine(.setting(.stopped(app))))
    case .switchServicesOff: step(.engine(.setting(.services(on: false))))
    case .shown(let obstacle):
      unseen = obstacle
      for use in core.engine.locationUses where use.isInBackground { noteUnseen(use.app) }
    }
  }

  /// Notes an app that uses the location in the background where no desktop shows it.
  func noteUnseen(_ app: AppIdentity) {
    guard let unseen else { return }
    journal(.unseen(app, unseen))
  }

  /// Shows the apps of now, after a step that has changed them.
  func showUses() {
    haveUsesChanged = false
    let uses = core.engine.locationUses
    indicator?.show(
      IndicatorContents(
        apps: uses.map {
          IndicatorContents.App(
            $0.app, $0.program, isActive: $0.isActive, isInBackground: $0.isInBackground,
            calibrates: $0.calibrates)
        }))
    usesChanged?()
  }
}
