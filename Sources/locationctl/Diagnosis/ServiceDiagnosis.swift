import LocationModel
import LocationProviders
import LocationService

extension SourceDiagnosis {
  /// Evaluates a location service on the network.
  mutating func judgeService(_ report: SourceReport) {
    switch report.lastStatus {
    case .working: conclude(.good, "working", Self.working(report))
    case .idle, .searching:
      guard report.rejections.isEmpty else {
        return conclude(.doubtful, "not_placed", "it has placed nothing yet")
      }
      conclude(
        .doubtful, "not_asked",
        "it was asked nothing: no radio has received what the map does not know",
        "name a source that receives beside it: wifi:, modem:, or scans+tcp://HOST:PORT")
    case .unavailable(let reason): judgeFailure(reason)
    }
  }

  /// Evaluates a service that is given observations, and gives no positions: until it has refused
  /// some, all is well.
  mutating func judgeSubmission(_ report: SourceReport) {
    if case .unavailable(let reason) = report.lastStatus { return judgeFailure(reason) }
    conclude(
      .good, "submits",
      "it gives this service what the radios receive on journeys; no positions come")
  }

  private mutating func judgeFailure(_ reason: ProviderStatus.Reason) {
    if case .noPermission(let text) = reason {
      return conclude(
        .bad, "service_refuses", text, "see what the service says of its keys and limits")
    }
    conclude(
      .bad, "service_unreachable", reason.text,
      "see whether it answers: curl -sI SERVER; the daemon's unit permits the loopback alone: sudo "
        + "systemctl edit locationd.service, and under [Service] IPAddressAllow=any")
  }
}
