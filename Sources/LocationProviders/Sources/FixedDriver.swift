import LocationModel

/// Delivers one given position.
struct FixedDriver: SourceDriver {
  private let coordinate: Coordinate
  private let accuracy: Double
  private var position: FixedPosition?

  init(_ coordinate: Coordinate, accuracy: Double) {
    self.coordinate = coordinate
    self.accuracy = accuracy
  }

  var rejections: [SourceRejection] { [] }
  var nextDeadline: Instant? { position?.nextDeadline }

  mutating func handle(_ input: SourceInput, at now: Moment) -> [SourceOutput] {
    switch input {
    case .demand(let demand): demand.needsPosition ? begin(at: now) : rest()
    case .wake: fixes(at: now)
    case .stored, .channel, .kernel, .scan: []
    }
  }

  private mutating func begin(at now: Moment) -> [SourceOutput] {
    guard position == nil else { return [] }
    position = FixedPosition(coordinate, accuracy: accuracy)
    return [.status(.working)] + fixes(at: now)
  }

  private mutating func rest() -> [SourceOutput] {
    guard position != nil else { return [] }
    position = nil
    return [.status(.idle)]
  }

  private mutating func fixes(at now: Moment) -> [SourceOutput] {
    let outputs = position?.handle(.wake, at: now) ?? []
    return outputs.map { output -> SourceOutput in
      switch output {
      case .fix(let fix): .fix(fix)
      }
    }
  }
}
