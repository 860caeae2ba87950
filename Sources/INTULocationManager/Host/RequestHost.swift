import CoreLocation

/// Carries out the coordinator's outputs: commands the hardware, sets the timer, answers
/// recipients.
///
/// Runs on the main queue; handles one input of the coordinator after the other.
@MainActor
final class RequestHost {
  private var coordinator = RequestCoordinator()
  private let book: RecipientBook
  private let clock: any RequestClock
  private let positioning: any Positioning

  init(_ positioning: any Positioning, clock: any RequestClock, book: RecipientBook) {
    self.positioning = positioning
    self.clock = clock
    self.book = book
    positioning.onEvent = { [weak self] in self?.take($0) }
  }

  /// Handles a request of the app.
  func take(_ input: RequestCoordinator.Input) {
    readServices()
    step(input)
    setAlarm()
  }

  /// Changes a setting of the location manager.
  func change(_ setting: ManagerSetting) {
    positioning.change(setting)
  }

  /// Handles an event of the location services.
  private func take(_ event: PositioningEvent) {
    readServices()
    switch event {
    case .location(let location): step(.location(location))
    case .heading(let heading):
      step(
        .heading(
          HeadingReading(trueHeading: heading.trueHeading, accuracy: heading.headingAccuracy)),
        showing: heading)
    case .failed(let error): step(.failed(CLError(any: error)))
    case .servicesChanged: break
    }
    setAlarm()
  }

  /// The state may have changed without a callback, or before it.
  private func readServices() {
    let (services, headings) = (positioning.services, positioning.headingServices)
    if services != coordinator.services { step(.services(services)) }
    if headings != coordinator.headingServices { step(.headingServices(headings)) }
  }

  private func step(_ input: RequestCoordinator.Input, showing heading: CLHeading? = nil) {
    for output in coordinator.handle(input, at: clock.now) { carryOut(output, showing: heading) }
  }

  private func carryOut(_ output: RequestCoordinator.Output, showing heading: CLHeading?) {
    switch output {
    case .hardware(let command): positioning.carryOut(command)
    case .askForAuthorization(let type): positioning.askForAuthorization(type)
    case .finish(let id, let answer): book.strike(id)?.finish(answer)
    case .report(let id, let answer): book.recipient(id)?.receive(answer)
    case .forget(let id): book.strike(id)?.end()
    case .finishHeading(let id, let status): book.strike(id)?.finish(nil, status)
    case .reportHeading(let id, let status):
      book.recipient(id)?.receive(status == .success ? heading : nil, status)
    case .ignored: break
    }
  }

  private func setAlarm() {
    clock.setAlarm(at: coordinator.nextDeadline) { [weak self] in self?.take(.wake) }
  }
}

extension CLError {
  /// Converts what a location manager reports; an error of another domain counts as a lasting
  /// failure.
  init(any error: any Error) {
    self = error as? CLError ?? CLError(.network, userInfo: [NSUnderlyingErrorKey: error])
  }
}
