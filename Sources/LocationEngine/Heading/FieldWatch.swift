package import LocationModel

/// Judges whether the field around a compass is still the Earth's.
///
/// Only a strong change in magnitude or inclination counts (HEAD-9): turning the device changes
/// neither.
package struct FieldWatch: Sendable {
  package enum Verdict: Hashable, Sendable {
    /// The field is the usual one of this place.
    case usual
    /// The field has just changed; the heading is not reliable.
    case disturbed
    /// The change has lasted: a person should be asked to calibrate. Output once for each change.
    case changed
    /// The field is stronger or weaker than the Earth's can be: there is no heading (HEAD-12).
    case overwhelmed
  }

  private struct Field: Sendable {
    /// Microtesla.
    var magnitude: Double
    /// Degrees; `nil` when unknown.
    var inclination: Double?
  }

  private enum State: Sendable {
    /// No field was measured yet; the first one counts as usual.
    case unknown
    /// `baseline` follows the field slowly; it was last updated `at`.
    case usual(baseline: Field, at: Instant)
    /// Differs from `baseline` since then. After `settling` the new field becomes the usual one.
    case disturbed(baseline: Field, since: Instant, isReported: Bool)
  }

  private var state = State.unknown

  package init() {}

  /// Judges a sample; a compass that reports only its heading is trusted.
  package mutating func judge(_ sample: HeadingSample, at now: Instant) -> Verdict {
    guard let magnitude = sample.field?.magnitude else { return .usual }
    guard Self.possibleMagnitude.contains(magnitude) else { return .overwhelmed }
    let field = Field(magnitude: magnitude, inclination: sample.inclination)
    switch state {
    case .unknown:
      state = .usual(baseline: field, at: now)
      return .usual
    case .usual(let baseline, let then):
      return follow(field, from: baseline, since: then, at: now)
    case .disturbed(let baseline, let since, let isReported):
      guard Self.differs(field, from: baseline) else {
        state = .usual(baseline: baseline, at: now)
        return .usual
      }
      return judgeDisturbance(field, baseline: baseline, since: since, (now, isReported))
    }
  }

  private mutating func follow(
    _ field: Field, from baseline: Field, since then: Instant, at now: Instant
  ) -> Verdict {
    guard !Self.differs(field, from: baseline) else {
      state = .disturbed(baseline: baseline, since: now, isReported: false)
      return .disturbed
    }
    let weight = min(1, max(0, now.seconds(since: then) / Self.memory.inSeconds))
    let inclination = field.inclination.map { new in
      baseline.inclination.map { $0 + weight * (new - $0) } ?? new
    }
    let magnitude = baseline.magnitude + weight * (field.magnitude - baseline.magnitude)
    state = .usual(
      baseline: Field(magnitude: magnitude, inclination: inclination ?? baseline.inclination),
      at: now)
    return .usual
  }

  private mutating func judgeDisturbance(
    _ field: Field, baseline: Field, since: Instant, _ report: (now: Instant, isDone: Bool)
  ) -> Verdict {
    let lasted = report.now - since
    if lasted >= Self.settling {
      state = .usual(baseline: field, at: report.now)
      return .usual
    }
    let isReady = lasted >= Self.timeout && !report.isDone
    state = .disturbed(baseline: baseline, since: since, isReported: report.isDone || isReady)
    return isReady ? .changed : .disturbed
  }

  private static func differs(_ field: Field, from baseline: Field) -> Bool {
    let change = abs(field.magnitude - baseline.magnitude)
    if change > magnitudeChange * baseline.magnitude { return true }
    guard let new = field.inclination, let old = baseline.inclination else { return false }
    return abs(new - old) > inclinationChange
  }

  /// Microtesla. The Earth's field at the surface is 22 to 67; a quarter more or less may be the
  /// device's own.
  private static let possibleMagnitude = 16.0...84.0
  /// A share of the usual magnitude. Chosen: what a calibrated compass does not reach by turning.
  private static let magnitudeChange = 0.3
  /// Degrees. Chosen: three times the spread of a handheld device's inclination.
  private static let inclinationChange = 15.0
  /// How long a change must last before a prompt. Chosen: walking past a car takes less.
  private static let timeout = Duration.seconds(2)
  /// How long a change must last to be the new place's field. Chosen.
  private static let settling = Duration.seconds(30)
  /// The time in which the baseline follows the field. Chosen.
  private static let memory = Duration.seconds(60)
}
