package import LocationModel

extension Request {
  /// The sender; `nil` for the app as a whole.
  package var subscriber: SubscriberID? {
    switch self {
    case .authorization(.observe(let subscriber)),
      .authorization(.request(_, by: let subscriber)),
      .authorization(.temporaryFullAccuracy(_, ticket: let subscriber)),
      .updates(let subscriber, _), .live(let subscriber, _),
      .significantChanges(let subscriber, _), .region(let subscriber, _),
      .heading(let subscriber, _), .ranging(let subscriber, _), .advertising(let subscriber, _),
      .monitor(let subscriber, _), .session(let subscriber, _), .end(let subscriber):
      subscriber
    case .visits, .acknowledge, .life: nil
    }
  }

  /// The stream of diagnostics that it begins, or ends, which is a separate subscriber.
  package var stream: (id: SubscriberID, begins: Bool)? {
    switch self {
    case .session(_, .diagnose(let stream)): (stream, true)
    case .session(_, .endDiagnosis(let stream)): (stream, false)
    default: nil
    }
  }
}
