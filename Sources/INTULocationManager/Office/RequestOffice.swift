import CoreLocation

/// Carries out what the desk decides: tells the hardware, minds the clock, and answers recipients.
///
/// Lives on the main queue; everything it does is one step of the desk after the other.
@MainActor
final class RequestOffice {
  private var coordinator = RequestCoordinator()
  private let book: RecipientBook
  private let clock: any OfficeClock
  private let positioning: any Positioning

  init(_ positioning: any Positioning, clock: any OfficeClock, book: RecipientBook) {
    self.positioning = positioning
    self.clock = clock
    self.book = book
    positioning.hear = { [weak self] in self?.take($0) }
  }

  /// Takes what an app asks.
  func take(_ input: RequestCoordinator.Input) {
    readServices()
    step(input)
    setAlarm()
  }

  /// Takes what an app wishes of the manager.
  func change(_ setting: BackgroundSetting) {
    positioning.change(setting)
  }

  /// Takes what the services say.
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
    case .report(let id, let answer): book.recipient(id)?.hear(answer)
    case .forget(let id): book.strike(id)?.end()
    case .finishHeading(let id, let status): book.strike(id)?.finish(nil, status)
    case .reportHeading(let id, let status):
      book.recipient(id)?.hear(status == .success ? heading : nil, status)
    case .ignored: break
    }
  }

  private func setAlarm() {
    clock.setAlarm(at: coordinator.nextDeadline) { [weak self] in self?.take(.wake) }
  }
}

extension CLError {
  /// What a location manager reports; an error of another domain counts as a lasting failure.
  init(any error: any Error) {
    self = error as? CLError ?? CLError(.network, userInfo: [NSUnderlyingErrorKey: error])
  }
}
