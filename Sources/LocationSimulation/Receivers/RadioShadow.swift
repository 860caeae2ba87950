/// What stands around a transmitter, and weakens or reflects it: the same at each visit of a place.
struct RadioShadow: Hashable, Sendable {
  /// dB, one standard deviation.
  var deviation: Double
  /// Meters over which it changes.
  var width: Double

  /// Returns the dB by which what is received of a transmitter differs at a place so many meters from
  /// it: between the corners of squares, each with a value of its own.
  ///
  /// - Parameters:
  ///   - seed: the seed of the transmitter.
  ///   - east: meters from the transmitter to the east.
  ///   - north: meters to the north.
  /// - Returns: dB, of mean 0.
  func level(of seed: UInt64, east: Double, _ north: Double) -> Double {
    let (x, y) = (east / width, north / width)
    let (left, below) = (x.rounded(.down), y.rounded(.down))
    let (right, above) = (x - left, y - below)
    var sum = 0.0
    for (stepX, shareX) in [(0, 1 - right), (1, right)] {
      for (stepY, shareY) in [(0, 1 - above), (1, above)] {
        let corner = UInt64(bitPattern: Int64(left) + Int64(stepX)) &* 0x9e37_79b9
        let row = UInt64(bitPattern: Int64(below) + Int64(stepY)) &* 0x85eb_ca6b
        var noise = NormalNoise(seed: seed ^ corner ^ row << 20)
        sum += shareX * shareY * noise.normal()
      }
    }
    return deviation * sum
  }
}
