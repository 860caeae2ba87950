/// An angle kept as its sine and cosine, so that none is lost near any quadrant.
struct Direction {
  var sine: Double
  var cosine: Double

  /// A vector that has length one already.
  init(sine: Double, cosine: Double) {
    self.sine = sine
    self.cosine = cosine
  }

  /// The direction of the vector (`x`, `y`), counted from the x axis.
  init(y: Double, x: Double) {
    let length = (x * x + y * y).squareRoot()
    sine = y / length
    cosine = x / length
  }

  /// Exact at every multiple of 90 degrees, none smaller than 1e-100; not a number when `degrees` is none.
  ///
  /// `rest` is a small angle to add, in degrees, that `degrees` had no room for.
  init(degrees: Double, rest: Double = 0) {
    let quarters = (degrees / 90).rounded()
    guard quarters.magnitude < 1e9 else {
      self.init(sine: .nan, cosine: .nan)
      return
    }
    let exact = (degrees - 90 * quarters + rest) * (.pi / 180)
    // What is so small that its square would vanish is zero.
    let radians = exact.magnitude < 1e-100 ? 0 : exact
    let (y, x) = (LocationModel.sine(radians), LocationModel.cosine(radians))
    switch Int(quarters) & 3 {
    case 0: self.init(sine: y, cosine: x)
    case 1: self.init(sine: x, cosine: -y)
    case 2: self.init(sine: -y, cosine: -x)
    default: self.init(sine: -x, cosine: y)
    }
  }

  init(radians: Double) {
    sine = LocationModel.sine(radians)
    cosine = LocationModel.cosine(radians)
  }

  /// In `-pi...pi`.
  var radians: Double { arctangent(sine, cosine).radians }

  /// In `-180...180`.
  var degrees: Double { arctangent(sine, cosine).degrees }

  /// The same with a negative sine, left by rounding, turned into positive zero.
  var forwards: Direction { Direction(sine: sine > 0 ? sine : 0, cosine: cosine) }

  static func + (left: Direction, right: Direction) -> Direction {
    Direction(
      sine: left.sine * right.cosine + left.cosine * right.sine,
      cosine: left.cosine * right.cosine - left.sine * right.sine)
  }

  static func - (left: Direction, right: Direction) -> Direction {
    Direction(
      sine: left.sine * right.cosine - left.cosine * right.sine,
      cosine: left.cosine * right.cosine + left.sine * right.sine)
  }
}

/// The way east from one meridian to another: degrees in `-180...180`, and the part of the
/// difference that rounding would drop.
func longitudeDifference(from west: Double, to east: Double) -> (degrees: Double, rest: Double) {
  let (sum, rest) = exactSum(-west.remainder(dividingBy: 360), east.remainder(dividingBy: 360))
  return exactSum(sum.remainder(dividingBy: 360), rest)
}

/// The rounded sum and its rounding error (Knuth's two-sum).
private func exactSum(_ a: Double, _ b: Double) -> (Double, Double) {
  let sum = a + b
  let second = sum - a
  return (sum, (a - (sum - second)) + (b - second))
}
