package import LocationModel

extension EventEvidence {
  /// When it was decided.
  package var decided: UnixTime {
    switch self {
    case .crossing(let crossing): crossing.decided
    case .stay(let stay): stay.decided
    }
  }

  /// The evidence as an object, in a line with the event.
  package func add(to line: inout JSONLine) {
    var inner = JSONLine(type: "evidence")
    addMembers(to: &inner)
    line.add("evidence", object: inner)
  }

  /// The members that it has wherever it is printed.
  package func addMembers(to line: inout JSONLine) {
    switch self {
    case .crossing(let crossing):
      line.add("fixes", crossing.fixes)
      line.add("probability", crossing.probability)
      line.add("distance", crossing.distance)
      line.add("spread", crossing.spread)
      line.add("fused", crossing.fused?.map(\.rawValue).joined(separator: " "))
      line.add("first_fix", crossing.firstFix)
      line.add("last_fix", crossing.lastFix)
      line.add("crossed", crossing.crossed)
    case .stay(let stay):
      line.add("fixes", stay.fixes)
      line.add("scatter", stay.scatter)
      line.add("place", stay.place.rawValue)
      line.add("dwell_seconds", stay.dwellSeconds)
      line.add("first_fix", stay.firstFix)
      line.add("last_fix", stay.lastFix)
    }
    line.add("decided", decided)
  }
}
