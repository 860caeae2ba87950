/// One line of what `osmium export -f text` writes: a geometry and its tags.
package struct OsmFeature: Hashable {
  enum Geometry: Hashable {
    case point(OsmPoint)
    case line([OsmPoint])
    /// Outer and inner rings alike, each closed: even-odd filling distinguishes them.
    case polygon([[OsmPoint]])
  }

  /// Why a line was not understood.
  package enum Rejection: Error, Hashable {
    case unknownGeometry
    case malformedNumber
    case malformedTag
  }

  var geometry: Geometry
  var tags: [String: String]

  /// Reads `POINT(9.5 47.1) addr%3a%housenumber=6,name=…`.
  package init(line: Substring) throws(Rejection) {
    guard let open = line.firstIndex(of: "("), let close = line.lastIndex(of: ")"), open < close
    else { throw .unknownGeometry }
    // A tag may hold a parenthesis of its own: the geometry ends at the first one before a space.
    let end = Self.endOfGeometry(line, from: open) ?? close
    let rings = try Self.rings(line[open...end])
    guard let first = rings.first, let point = first.first else { throw .unknownGeometry }
    switch line[..<open] {
    case "POINT": geometry = .point(point)
    case "LINESTRING": geometry = .line(first)
    case "MULTIPOLYGON", "POLYGON": geometry = .polygon(rings)
    default: throw .unknownGeometry
    }
    tags = try Self.tags(line[line.index(after: end)...].drop { $0 == " " })
  }

  private static func endOfGeometry(_ line: Substring, from open: Substring.Index) -> String.Index?
  {
    var depth = 0
    for index in line.utf8.indices[open...] {
      switch line.utf8[index] {
      case UInt8(ascii: "("): depth += 1
      case UInt8(ascii: ")"):
        depth -= 1
        if depth == 0 { return index }
      default: break
      }
    }
    return nil
  }

  /// The innermost lists of positions.
  private static func rings(_ text: Substring) throws(Rejection) -> [[OsmPoint]] {
    var rings: [[OsmPoint]] = []
    for part in text.split(whereSeparator: { $0 == "(" || $0 == ")" }) where part != "," {
      var ring: [OsmPoint] = []
      for pair in part.split(separator: ",") {
        let numbers = pair.split(separator: " ")
        guard numbers.count == 2, let longitude = Double(numbers[0]),
          let latitude = Double(numbers[1]), longitude.magnitude <= 180, latitude.magnitude <= 90
        else { throw .malformedNumber }
        ring.append(OsmPoint(longitude: longitude, latitude: latitude))
      }
      rings.append(ring)
    }
    return rings
  }

  private static func tags(_ text: Substring) throws(Rejection) -> [String: String] {
    var tags: [String: String] = [:]
    for entry in text.split(separator: ",") {
      guard let equals = entry.firstIndex(of: "=") else { throw .malformedTag }
      tags[try decoded(entry[..<equals])] = try decoded(entry[entry.index(after: equals)...])
    }
    return tags
  }

  /// Undoes osmium's escapes: a scalar in hexadecimal between two percent signs.
  private static func decoded(_ text: Substring) throws(Rejection) -> String {
    guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
    var plain = ""
    var isEscape = false
    for part in text.split(separator: "%", omittingEmptySubsequences: false) {
      if isEscape {
        guard let code = UInt32(part, radix: 16), let scalar = Unicode.Scalar(code) else {
          throw .malformedTag
        }
        plain.unicodeScalars.append(scalar)
      } else {
        plain += part
      }
      isEscape.toggle()
    }
    guard isEscape else { throw .malformedTag }
    return plain
  }
}

/// A position in the grid of OpenStreetMap: ten-millionths of a degree.
struct OsmPoint: Hashable {
  var longitude: Int32
  var latitude: Int32

  static let stepsPerDegree = 1e7

  init(longitude: Double, latitude: Double) {
    self.longitude = Int32((longitude * Self.stepsPerDegree).rounded())
    self.latitude = Int32((latitude * Self.stepsPerDegree).rounded())
  }

  init(longitude: Int32, latitude: Int32) {
    self.longitude = longitude
    self.latitude = latitude
  }
}
