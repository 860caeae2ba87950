package import LocationModel

/// Makes a way as roads are: corners are round and taken slowly, and whoever moves speeds up and
/// brakes.
package struct Road: Sendable {
  /// The way in which a device moves.
  package struct Manner: Hashable, Sendable {
    /// Meters per second, on a free straight way.
    package var speed: Double
    /// Meters per second squared, of speeding up and of braking.
    package var acceleration: Double
    /// Meters; how wide corners are.
    package var cornerRadius: Double

    package init(speed: Double, acceleration: Double, cornerRadius: Double) {
      self.speed = speed
      self.acceleration = acceleration
      self.cornerRadius = cornerRadius
    }

    // Chosen: easy paces of people, and of a car in town and on a freeway.
    package static let walk = Manner(speed: 1.4, acceleration: 0.7, cornerRadius: 1)
    package static let run = Manner(speed: 3.2, acceleration: 1, cornerRadius: 2)
    package static let cycle = Manner(speed: 6, acceleration: 0.8, cornerRadius: 5)
    package static let drive = Manner(speed: 13.9, acceleration: 2, cornerRadius: 8)
    package static let freeway = Manner(speed: 30, acceleration: 1.5, cornerRadius: 500)
  }

  /// A piece of the way.
  private enum Piece: Sendable {
    case straight(Double)
    /// Meters along a bend, and degrees to the right.
    case bend(Double, turn: Double)
    case stop(Duration)
  }

  private struct Part: Sendable {
    var piece: Piece
    var sky: Sky
    /// Meters per second that may be driven there.
    var limit: Double
    var acceleration: Double
  }

  private let origin: Coordinate
  private let bearing: Double
  private var parts: [Part] = []
  private var manner: Manner
  private var sky = Sky.open

  /// Begins at a place, standing, towards a bearing in degrees from true north.
  package init(from origin: Coordinate, towards bearing: Double, as manner: Manner) {
    self.origin = origin
    self.bearing = bearing
    self.manner = manner
  }

  // MARK: Building

  /// Goes straight on.
  package mutating func straight(_ meters: Double) {
    parts.append(
      Part(
        piece: .straight(max(0, meters)), sky: sky, limit: manner.speed,
        acceleration: manner.acceleration))
  }

  /// Turns a corner: degrees to the right, negative to the left; a radius in meters where the corner
  /// is not as usual.
  package mutating func turn(_ degrees: Double, radius: Double? = nil) {
    let radius = max(radius ?? manner.cornerRadius, 0.5)
    let limit = min(manner.speed, (Self.comfort * radius).squareRoot())
    let length = radius * Angle(degrees: abs(degrees)).radians
    parts.append(
      Part(
        piece: .bend(length, turn: degrees), sky: sky, limit: limit,
        acceleration: manner.acceleration))
  }

  /// Brakes, stands for so long, and goes on.
  package mutating func stop(for duration: Duration) {
    parts.append(
      Part(piece: .stop(duration), sky: sky, limit: 0, acceleration: manner.acceleration))
  }

  /// Goes straight on below ground.
  package mutating func tunnel(_ meters: Double) {
    let before = sky
    sky = .none
    straight(meters)
    sky = before
  }

  /// What covers the sky from here on.
  package mutating func cover(_ sky: Sky) { self.sky = sky }

  /// How it goes from here on.
  package mutating func change(to manner: Manner) { self.manner = manner }

  // MARK: The way

  /// One step along the way, of at most ``step`` meters.
  private struct Step {
    var length: Double
    /// Degrees by which it turns.
    var turn: Double
    var sky: Sky
    var limit: Double
    var acceleration: Double
    var stop: Duration?
  }

  /// The way, standing at its beginning and at its end.
  package var journey: Journey {
    let steps = parts.flatMap { Self.steps(of: $0) }
    let speeds = speeds(over: steps)
    var journey = Journey(from: origin)
    var bearing = bearing
    var run: (length: Double, time: Double, sky: Sky)?
    func flush(_ journey: inout Journey) {
      guard let pending = run else { return }
      let place = journey.destination.moved(by: pending.length, towards: bearing)
      journey.move(to: place, in: .milliseconds(Int64(pending.time * 1000)), sky: pending.sky)
      run = nil
    }
    for (index, step) in steps.enumerated() {
      if let stop = step.stop {
        flush(&journey)
        journey.stay(for: stop, sky: step.sky)
        continue
      }
      let mean = max((speeds[index] + speeds[index + 1]) / 2, 0.1)
      let isEven = step.turn == 0 && speeds[index] == speeds[index + 1]
      if step.turn != 0 || run.map({ $0.sky != step.sky }) ?? false || !isEven { flush(&journey) }
      bearing += step.turn / 2
      run = (
        (run?.length ?? 0) + step.length, (run?.time ?? 0) + step.length / mean, step.sky
      )
      if !isEven { flush(&journey) }
      bearing += step.turn / 2
    }
    flush(&journey)
    return journey
  }

  private static func steps(of part: Part) -> [Step] {
    switch part.piece {
    case .stop(let duration):
      return [
        Step(
          length: 0, turn: 0, sky: part.sky, limit: 0, acceleration: part.acceleration,
          stop: duration)
      ]
    case .straight(let length): return split(length, turn: 0, part)
    case .bend(let length, let turn): return split(length, turn: turn, part)
    }
  }

  private static func split(_ length: Double, turn: Double, _ part: Part) -> [Step] {
    let length = min(length, longest)
    guard length > 0, turn.isFinite else { return [] }
    let wanted = max(1, (length / step).rounded(.up), (abs(turn) / stepTurn).rounded(.up))
    let count = Int(min(wanted, mostSteps))
    let one = Step(
      length: length / Double(count), turn: turn / Double(count), sky: part.sky, limit: part.limit,
      acceleration: part.acceleration, stop: nil)
    return Array(repeating: one, count: count)
  }

  /// The speed before each step and after the last: as fast as limits, speeding up, and braking
  /// allow.
  private func speeds(over steps: [Step]) -> [Double] {
    guard !steps.isEmpty else { return [0] }
    var speeds = [Double](repeating: 0, count: steps.count + 1)
    for index in 1..<speeds.count - 1 {
      speeds[index] = min(steps[index - 1].limit, steps[index].limit)
    }
    func gain(_ step: Step) -> Double { 2 * step.acceleration * step.length }
    for index in steps.indices {
      let reachable = (speeds[index] * speeds[index] + gain(steps[index])).squareRoot()
      speeds[index + 1] = min(speeds[index + 1], reachable)
    }
    for index in steps.indices.reversed() {
      let brakable = (speeds[index + 1] * speeds[index + 1] + gain(steps[index])).squareRoot()
      speeds[index] = min(speeds[index], brakable)
    }
    return speeds
  }

  /// Meters per second squared to the side. Chosen: what passengers do not mind.
  private static let comfort = 2.0
  /// Meters, and degrees, of one step.
  private static let step = 5.0
  private static let stepTurn = 15.0
  /// Meters of one piece: once around the Earth. One that is not finite is no longer either.
  private static let longest = 40_075_017.0
  /// Chosen: a straight piece of 500 km; the steps of longer ones are longer.
  private static let mostSteps = 1e5
}
