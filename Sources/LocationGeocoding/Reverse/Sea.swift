import LocationModel

/// The water a point at sea belongs to.
enum Sea: Hashable {
  case ocean(String)
  case inland(String)

  /// Names the water around a point that is known not to be land.
  ///
  /// Coarse on purpose: the outlines follow the limits of the International Hydrographic
  /// Organization (S-23) to a degree or so, and only land separates most neighbours.
  static func around(_ point: Coordinate) -> Sea {
    if let outline = outlines.first(where: { $0.contains(point) }) { return outline.sea }
    return .ocean(ocean(around: point))
  }

  private static func ocean(around point: Coordinate) -> String {
    let (latitude, longitude) = (point.latitude, point.longitude)
    if latitude <= -60 { return "Southern Ocean" }
    if latitude >= 66.5 { return "Arctic Ocean" }
    let isAtlantic =
      longitude > atlanticWest(at: latitude) && longitude < (latitude < 31 ? 20 : 45)
    if isAtlantic { return latitude >= 0 ? "North Atlantic Ocean" : "South Atlantic Ocean" }
    if longitude >= 20, longitude < indianEast(at: latitude), latitude < 31 {
      return "Indian Ocean"
    }
    return latitude >= 0 ? "North Pacific Ocean" : "South Pacific Ocean"
  }

  /// Degrees: the land of America, or Cape Horn's meridian, between Pacific and Atlantic.
  private static func atlanticWest(at latitude: Double) -> Double {
    switch latitude {
    case ..<(-20): -69
    case ..<7: -78
    case ..<9.5: -80.5
    case ..<15: -84
    case ..<18: -92
    default: -100
    }
  }

  /// Degrees: Tasmania's meridian, Australia, and the Sunda islands between Indian and Pacific.
  private static func indianEast(at latitude: Double) -> Double {
    switch latitude {
    case ..<(-31): 146.9
    case ..<(-10): 142
    case ..<(-7): 128
    case ..<0: 105
    default: 100
    }
  }

  private struct Outline {
    let sea: Sea
    /// Degrees, longitude first, in order around the water.
    let corners: [(longitude: Double, latitude: Double)]

    func contains(_ point: Coordinate) -> Bool {
      var isInside = false
      guard var last = corners.last else { return false }
      for corner in corners {
        if (last.latitude > point.latitude) != (corner.latitude > point.latitude) {
          let share = (point.latitude - last.latitude) / (corner.latitude - last.latitude)
          let crossing = last.longitude + (corner.longitude - last.longitude) * share
          if point.longitude < crossing { isInside.toggle() }
        }
        last = corner
      }
      return isInside
    }
  }

  private static let outlines = [
    Outline(
      sea: .inland("Caspian Sea"),
      corners: [(46.5, 48), (54.5, 48), (55.5, 36), (48.5, 36), (48, 41)]),
    Outline(
      sea: .ocean("Black Sea"), corners: [(27, 47.5), (42.2, 47.5), (42.2, 40.5), (29.2, 41.1)]),
    Outline(
      sea: .ocean("Baltic Sea"),
      corners: [
        (12.3, 56), (16, 58), (16, 62), (20, 66.5), (26.5, 66.5), (31, 60.5), (26, 56), (21, 53.5),
        (9.4, 53.8), (10, 55),
      ]),
    Outline(
      sea: .ocean("Mediterranean Sea"),
      corners: [
        (-5.6, 35.7), (-5.6, 37), (2, 43.8), (9, 44.8), (12, 46), (14.5, 46), (20, 42), (26.5, 41),
        (26.5, 39.5), (28, 36.9), (36.9, 37.1), (36.5, 31), (32.4, 30.9), (20, 30), (10, 33),
        (10, 36),
        (-2, 34.8),
      ]),
    Outline(
      sea: .ocean("Red Sea"),
      corners: [(32.2, 30.1), (35.2, 30), (43.6, 13), (42.5, 12.5), (37, 18)]),
    Outline(
      sea: .ocean("Persian Gulf"),
      corners: [(47, 30.8), (51, 30.8), (57, 27), (56, 25.5), (48, 24)]),
    Outline(
      sea: .ocean("North Sea"),
      corners: [
        (-2, 51), (2, 50.9), (9.5, 53), (9.5, 57), (7, 58), (5, 62), (-0.9, 61), (-3, 58.6),
        (-4, 57.5),
        (-2, 56),
      ]),
    Outline(
      sea: .ocean("Caribbean Sea"),
      corners: [
        (-87, 21.5), (-84.9, 21.8), (-75, 20), (-68.5, 18.4), (-65, 18.2), (-61.5, 16), (-60.9, 11),
        (-62, 10.5), (-72, 8), (-77.5, 7.8), (-83.5, 9), (-89, 15.5),
      ]),
    Outline(
      sea: .ocean("Gulf of Mexico"),
      corners: [(-98, 31), (-81, 31), (-80.5, 25), (-83, 22.8), (-87, 21.5), (-91, 18), (-98, 18)]),
    Outline(
      sea: .ocean("Hudson Bay"),
      corners: [(-95, 51), (-78.5, 51), (-77.5, 62.5), (-86, 64), (-95, 64)]),
    Outline(
      sea: .ocean("Bering Sea"),
      corners: [(162, 56), (163, 60), (180, 66), (180, 51.5), (171, 53.5)]),
    Outline(
      sea: .ocean("Bering Sea"),
      corners: [(-180, 66), (-168, 66), (-157, 59), (-164.5, 54.6), (-180, 51.5)]),
    Outline(
      sea: .ocean("Sea of Okhotsk"),
      corners: [(135, 54), (143, 60), (163, 62.5), (156.6, 51), (145.5, 43.9), (142, 46)]),
    Outline(
      sea: .ocean("Sea of Japan"),
      corners: [
        (127.5, 36), (128, 40), (140.5, 51), (142, 45.5), (141, 41.3), (132, 34.3), (129.5, 35),
      ]),
    Outline(
      sea: .ocean("South China Sea"),
      corners: [
        (105, 1.5), (99, 8), (99.5, 14), (108, 22), (118, 24.5), (120.5, 22), (120.2, 15), (117, 8),
        (111, 2),
      ]),
    Outline(
      sea: .ocean("East China Sea"),
      corners: [(121, 25), (120, 33), (126, 33.2), (130, 31.5), (128, 26.5), (123, 24.3)]),
    Outline(
      sea: .ocean("Arabian Sea"),
      corners: [(51.3, 11.8), (56, 24), (60, 26.5), (68, 26), (74.5, 12), (73, -0.5), (51.3, 11.8)]),
    Outline(
      sea: .ocean("Bay of Bengal"), corners: [(80, 6), (79.5, 16), (88, 23), (94, 17), (95, 6)]),
    Outline(
      sea: .ocean("Tasman Sea"),
      corners: [(150, -30), (152, -30), (172.5, -34.5), (167, -46.5), (147, -43.5), (148, -38)]),
  ]
}
