import LocationHost
import LocationService
import LocationEngine
import LocationLink
import LocationModel
import LocationRadio
import LocationProviders

extension LogRecord {
  /// Creates a line of the log from a note; `nil` if another line covers the note.
  init?(_ note: Note, at date: UnixTime) {
    switch note {
    case .authorization(let app, let explanation):
      self.init(.authorization, note.message ?? "\(app): \(explanation)", at: date)
      self.app = app.name
    case .session(let app, _):
      guard let message = note.message else { return nil }
      self.init(.authorization, message, at: date)
      self.app = app.name
    case .limit(let app, _):
      self.init(.client, note.message ?? "", at: date, isFault: true)
      self.app = app.name
    case .unanswerable(let prompt, _):
      self.init(.authorization, note.message ?? "", at: date, isFault: true)
      app = prompt.id.app.name
    case .provider: return nil
    case .calibration(let app):
      self.init(.source, note.message ?? "", at: date)
      self.app = app.name
    case .launched(let app, let fault):
      self.init(.condition, note.message ?? "started \(app)", at: date, isFault: fault != nil)
      self.app = app.name
    case .use(let app, let life, let ground):
      let words = [.foreground: "in use", .background: "in the background"][life] ?? life.rawValue
      self.init(.client, "\(app) is \(words) (\(ground))", at: date)
      self.app = app.name
    case .windows(let text):
      self.init(.client, "whose window is active is not shown: \(text)", at: date, isFault: true)
    case .asleep(let app, _), .unseen(let app, _):
      self.init(.condition, note.message ?? "", at: date, isFault: true)
      self.app = app.name
    case .store(let text): self.init(.store, text, at: date, isFault: true)
    case .source(let text): self.init(.source, text, at: date, isFault: true)
    }
  }

  /// Creates a record of the status of a source.
  init(_ status: ProviderStatus, of source: String, at date: UnixTime) {
    let words = SourceStatus.words(status)
    let text = "\(source): \(words.status)" + (words.reason.map { ": \($0)" } ?? "")
    self.init(.source, text, at: date)
    if case .unavailable(let reason) = status { isFault = reason != .ended }
  }

  /// Creates a record of a fix that was rejected.
  init(ignored fix: Fix, from source: String, _ reason: IgnoreReason, at date: UnixTime) {
    self.init(.fix, "ignored a position of \(source): \(reason.rawValue)", at: date)
    place = fix.coordinate
  }

  /// Describes an event, with the name that the app has given to the place; a region's or
  /// condition's name may reveal the place.
  static func text(of event: DeliveredEvent) -> String {
    switch event.kind {
    case .region where event.state == "entered": "entered region ‹private›"
    case .region: "left region ‹private›"
    case .condition: "condition ‹private› is \(event.state)"
    case .visit: event.state == "arrived" ? "a visit began" : "a visit ended"
    }
  }
}

extension DemandStatus {
  init(_ demand: Demand) {
    self.init()
    tier = demand.position.map { "\($0.tier)" }
    interval = demand.position?.interval
    motion = demand.motion
    beacons = demand.beacons != .off
    magnetometer = demand.magnetometer
  }
}

extension SourceStatus {
  static func words(_ status: ProviderStatus) -> (status: String, reason: String?) {
    switch status {
    case .idle: ("idle", nil)
    case .searching: ("searching", nil)
    case .working: ("working", nil)
    case .unavailable(let reason): ("unavailable", reason.text)
    }
  }

  /// Creates the status of a source; one that is a place is written only with `places`, and a key never.
  init(_ report: SourceReport, places: Bool) {
    let (status, reason) = Self.words(report.status)
    self.init(
      url: places ? report.source.shownURL : report.source.loggedURL, status: status,
      reason: reason ?? report.silence?.text ?? report.evidence.assistanceFault?.rawValue,
      fixes: report.fixes,
      rejected: report.rejections.reduce(0) { $0 + $1.count })
    transport = report.source.transport?.rawValue
  }
}
