/// The horizon ahead as one line of text: what is in front stands in the middle.
enum Horizon {
  /// Columns; odd, so that one is the middle.
  static let width = 49
  /// Degrees from one column to the next: half the horizon is in view.
  private static let step = 180.0 / 48

  /// `·······N·······┃NE······` — the bar marks where the device points.
  static func text(facing degrees: Double) -> String {
    var columns = [Character](repeating: "·", count: width)
    for (name, direction) in points {
      var offset = (direction - degrees).truncatingRemainder(dividingBy: 360)
      if offset > 180 { offset -= 360 }
      if offset < -180 { offset += 360 }
      let column = width / 2 + Int((offset / step).rounded())
      for (index, letter) in name.enumerated() where columns.indices.contains(column + index) {
        columns[column + index] = letter
      }
    }
    return String(columns[..<(width / 2)]) + "┃" + String(columns[(width / 2)...])
  }

  /// The nearest of the eight points of the compass.
  static func point(of degrees: Double) -> String {
    points[Int((degrees / 45).rounded()) % 8].name
  }

  private static let points: [(name: String, direction: Double)] = [
    ("N", 0), ("NE", 45), ("E", 90), ("SE", 135), ("S", 180), ("SW", 225), ("W", 270), ("NW", 315),
  ]
}
