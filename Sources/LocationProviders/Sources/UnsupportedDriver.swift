import LocationModel

/// A source that this build does not support; it reports so as soon as it is needed.
struct UnsupportedDriver: SourceDriver {
  let name: String

  var rejections: [SourceRejection] { [] }
  var nextDeadline: Instant? { nil }

  mutating func handle(_ input: SourceInput, at now: Moment) -> [SourceOutput] {
    switch input {
    case .demand(let demand):
      demand.needsPosition
        ? [.status(.unavailable(.missing("\(name) gives no positions in this version")))]
        : [.status(.idle)]
    case .stored, .channel, .kernel, .scan, .wake: []
    }
  }
}
