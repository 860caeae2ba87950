package import LocationModel

/// How far the radii are right, learned where receivers show the truth.
package struct RadioCalibration: Hashable, Sendable {
  /// The factor on the spread of the likely places, so that the radius holds 68 %.
  package private(set) var scale = Self.standard
  /// How many comparisons it rests on, at most ``most``: older ones are slowly forgotten.
  package private(set) var count = 0.0

  package init(scale: Double = Self.standard, count: Double = 0) {
    self.scale = min(max(scale, Self.range.lowerBound), Self.range.upperBound)
    self.count = min(max(count, 0), Self.most)
  }

  /// Notes by how much a position was wrong.
  ///
  /// What can be seen is the distance from the receiver's position, in which the errors of both
  /// are. They have nothing to do with each other, so that 68 % of the distances are within the
  /// root of the sum of the squares of both radii if both are right. The scale moves up when the
  /// distance is greater, and down by less when it is not, so that it comes to rest where 68 % are
  /// within. Every comparison counts, whatever came of it: by as much as that part of the radius which
  /// the scale is a factor on has to do with the distance.
  package mutating func note(_ position: RadioPosition, truth: Coordinate, accuracy: Double) {
    let distance = LocalFrame(center: truth).chord(to: position.coordinate)
    let expected = hypotenuse(position.radius, accuracy)
    guard expected > 0 else { return }
    let own = position.radius * position.radius - position.taught * position.taught
    let weight = max(own, 0) / (expected * expected)
    let step = Self.gain * weight / (count + Self.first)
    let move = distance > expected ? step * Self.confidence : -step * (1 - Self.confidence)
    scale = min(max(scale * exponential(move), Self.range.lowerBound), Self.range.upperBound)
    count = min(count + weight, Self.most)
  }

  /// Chosen: between what the museum and the mall need.
  package static let standard = 1.4
  private static let range = 0.2...5.0
  private static let confidence = 0.68
  /// The gain with which a quantile is found fastest: one by the density of the logarithms of the
  /// errors at it, which is 0.73 if they are normal, and less if there are outliers.
  private static let gain = 2.0
  /// As many comparisons is the standard worth.
  private static let first = 50.0
  /// As many comparisons are remembered.
  private static let most = 200.0
}
