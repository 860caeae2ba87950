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
    case .unavailable(.noPermission(let text)):
      conclude(.bad, "service_refuses", text, "see what the service says of its keys and limits")
    case .unavailable(let reason):
      conclude(
        .bad, "service_unreachable", reason.text,
        "see whether it answers: curl -sI SERVER; the daemon's unit permits the loopback alone: sudo "
          + "systemctl edit locationd.service, and under [Service] IPAddressAllow=any")
    }
  }
}
