internal import LocationModel

extension JSONCodable {
  /// The value of an entry of the durable state.
  package var stored: [UInt8] { json.exactBytes }

  /// Reads the value of an entry, also of an earlier version; `nil` when it is no such value.
  package init?(stored bytes: [UInt8]) {
    do throws(CodingFault) {
      try self.init(json: try JSON(parsing: bytes).withPresentShapes)
    } catch { return nil }
  }
}

/// Before decision 0076, values in the state had the shape that the compiler derives for
/// `Codable`, or one of their own, rather than that of the wire.
extension JSON {
  fileprivate var withPresentShapes: JSON {
    switch self {
    case .array(let elements): return .array(elements.map(\.withPresentShapes))
    case .object(let members):
      // The values of a case were numbered; only an event of a region had two.
      if let first = self["_0"]?.withPresentShapes {
        return self["_1"].map { .fields(["region": first, "news": $0.withPresentShapes]) } ?? first
      }
      return .object(members.flatMap(Self.presentShape))
    case .null, .bool, .integer, .unsigned, .number, .string, .written: return self
    }
  }

  /// Returns the members that now hold what a member held.
  private static func presentShape(_ member: Member) -> [Member] {
    let value = member.value.withPresentShapes
    switch (member.name, value) {
    case ("notices", .object(let parts)), ("coordinate", .object(let parts)): return parts
    case ("horizontalAccuracy", _): return [Member("accuracy", value)]
    case ("current", _): return [Member("current", value.adding("accuracy", value["radius"]))]
    case ("circle", _) where value["center"] == nil:
      return [Member("circle", .fields(["center": value, "radius": value["radius"]]))]
    case ("entered", _) where member.value["_0"] != nil,
      ("exited", _) where member.value["_0"] != nil:
      return [Member(member.name, .fields(["evidence": value]))]
    case ("handled", _) where value["identifier"] == nil:
      return [Member("handled", value.adding("identifier", .string("")))]
    case ("uuid", _): return [Member("uuid", uuid(value)?.json ?? value)]
    case ("authorization", .integer(let number)):
      return [Member("authorization", AuthorizationGoal(rawValue: Int(number))?.json ?? value)]
    default: return [Member(member.name, value)]
    }
  }

  /// Reads two halves in an array, or with names.
  private static func uuid(_ value: JSON) -> BeaconUUID? {
    let halves = (try? [UInt64](json: value)) ?? ["high", "low"].compactMap { try? value.get($0) }
    return halves.count == 2 ? BeaconUUID(high: halves[0], low: halves[1]) : nil
  }
}
