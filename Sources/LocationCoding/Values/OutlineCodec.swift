package import LocationModel

/// Encoded as a geometry of GeoJSON (RFC 7946): a Polygon, or a MultiPolygon of several parts.
extension PolygonOutline: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    let parts: [[[Position]]]
    switch try json.get("type", String.self) {
    case "Polygon": parts = [try json.get("coordinates")]
    case "MultiPolygon": parts = try json.get("coordinates")
    case let kind: throw .unknownWord(kind)
    }
    do throws(Polygon.Fault) {
      try self.init(parts.map { $0.map { $0.map(\.place) } })
    } catch { throw .polygon(error) }
  }

  package var json: JSON {
    let rings = parts.map { $0.map { $0.map(Position.init) } }
    guard rings.count == 1 else {
      return .fields(["type": "MultiPolygon".json, "coordinates": rings.json])
    }
    return .fields(["type": "Polygon".json, "coordinates": rings[0].json])
  }
}

/// Longitude and latitude, in this order; further numbers are not read.
private struct Position: JSONCodable {
  var place: Coordinate

  init(_ place: Coordinate) { self.place = place }

  init(json: JSON) throws(CodingFault) {
    guard case .array(let numbers) = json, numbers.count >= 2 else { throw .mismatch("") }
    place = Coordinate(
      latitude: try Double(json: numbers[1]), longitude: try Double(json: numbers[0]))
  }

  var json: JSON { [place.longitude, place.latitude].json }
}
