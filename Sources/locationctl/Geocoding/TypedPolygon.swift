import LocationCoding
import LocationHost
import LocationModel

/// A polygon as typed: the corners of one ring, or a file of GeoJSON.
struct TypedPolygon {
  let outline: PolygonOutline

  /// Bytes of a file: a hundred times those of a polygon with as many positions as it may have.
  private static let longest = 4 << 20

  /// Reads corners, `LAT,LON LAT,LON LAT,LON`, or a file, `-` for standard input; a mistake names the
  /// option it was typed for.
  init(_ text: String, as name: String, in invocation: Invocation) throws(Failure) {
    outline =
      Self.isCorner(text.split(separator: " ").first ?? "")
      ? try Self.typed(text, as: name, in: invocation)
      : try Self.file(text, as: name, in: invocation)
  }

  private static func isCorner(_ word: Substring) -> Bool {
    let numbers = word.split(separator: ",", omittingEmptySubsequences: false)
    return numbers.count > 1 && numbers.allSatisfy { Double($0) != nil }
  }

  private static func typed(
    _ text: String, as name: String, in invocation: Invocation
  ) throws(Failure) -> PolygonOutline {
    var ring: [Coordinate] = []
    for word in text.split(separator: " ") {
      let corner = try TypedCircle(String(word), as: name, in: invocation)
      guard corner.radius == nil else {
        throw invocation.usage("\(name) cannot have \"\(word)\": a corner has no radius")
      }
      ring.append(corner.center)
    }
    if let first = ring.first, ring.last != first { ring.append(first) }
    do throws(Polygon.Fault) { return try PolygonOutline([[ring]]) } catch {
      throw failure(error, of: name, in: invocation)
    }
  }

  private static func file(
    _ path: String, as name: String, in invocation: Invocation
  ) throws(Failure) -> PolygonOutline {
    var bytes: [UInt8] = []
    do throws(Errno) {
      let file = try InputFile(path)
      while bytes.count <= longest, case let piece = try file.piece(), !piece.isEmpty {
        bytes += piece
      }
    } catch {
      throw invocation.usage(
        "\(name) cannot be \"\(path)\": neither corners nor a file (\(error.reason))")
    }
    guard bytes.count <= longest else {
      throw invocation.usage("\(path) is longer than \(longest) bytes")
    }
    do throws(CodingFault) {
      return try PolygonOutline(json: geometry(JSON(parsing: bytes)))
    } catch {
      guard case .polygon(let fault) = error else {
        throw invocation.usage(
          "\(path) has no GeoJSON Polygon or MultiPolygon, or more than one Feature: \(error)")
      }
      throw failure(fault, of: path, in: invocation)
    }
  }

  /// The geometry of the only feature of a collection, of a feature, or itself.
  private static func geometry(_ json: JSON) throws(CodingFault) -> JSON {
    switch try json.get("type", String.self) {
    case "FeatureCollection":
      guard case .array(let features) = json["features"], features.count == 1 else {
        throw .mismatch("features")
      }
      return try geometry(features[0])
    case "Feature":
      guard let geometry = json["geometry"] else { throw .missing("geometry") }
      return geometry
    default: return json
    }
  }

  private static func failure(
    _ fault: Polygon.Fault, of name: String, in invocation: Invocation
  ) -> Failure {
    guard case .tooMany = fault else { return invocation.usage("\(name): \(fault)") }
    return .usage(
      "\(name): \(fault)", next: "draw it with fewer, or watch its parts under names of their own")
  }
}
