package import LocationModel

/// An enumeration whose cases have no values: it is encoded as the name of its case.
package protocol JSONNamed: JSONCodable, CaseIterable {}

extension JSONNamed {
  package init(json: JSON) throws(CodingFault) {
    let name = try String(json: json)
    guard let value = Self.allCases.first(where: { "\($0)" == name }) else {
      throw .unknownWord(name)
    }
    self = value
  }

  package var json: JSON { .string("\(self)") }
}

extension ActivityKind: JSONNamed {}
extension AuthorizationGoal: JSONNamed {}
extension Failure: JSONNamed {}
extension DeferralFault: JSONNamed {}
extension RegionFailure: JSONNamed {}

extension AppLife: JSONCodable {}
extension AuthorizationStatus: JSONCodable {}
extension AccuracyAuthorization: JSONCodable {}
extension AccuracyRefusal: JSONCodable {}
extension ConditionState: JSONCodable {}
extension MonitoredState: JSONCodable {}

extension AppIdentity: JSONCodable {
  package init(json: JSON) throws(CodingFault) { self.init(try String(json: json)) }
  package var json: JSON { name.json }
}

extension SubscriberID: JSONCodable {
  package init(json: JSON) throws(CodingFault) { self.init(try UInt32(json: json)) }
  package var json: JSON { rawValue.json }
}

extension EventNumber: JSONCodable {
  package init(json: JSON) throws(CodingFault) { self.init(rawValue: try Int64(json: json)) }
  package var json: JSON { rawValue.json }
}

/// Encoded as nanoseconds since 1970.
extension UnixTime: JSONCodable {
  package init(json: JSON) throws(CodingFault) { self.init(nanoseconds: try Int64(json: json)) }
  package var json: JSON { nanoseconds.json }
}

/// Encoded as nanoseconds.
extension Duration: JSONCodable {
  package init(json: JSON) throws(CodingFault) { self = .nanoseconds(try Int64(json: json)) }
  package var json: JSON { wholeNanoseconds.json }
}

/// Encoded as the names of the flags that are set; unknown names of a newer peer are left out.
extension Diagnostics: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    self = []
    for name in try [String](json: json) {
      guard let bit = Self.names.firstIndex(of: name) else { continue }
      insert(Diagnostics(rawValue: 1 << bit))
    }
  }

  package var json: JSON {
    .array(
      Self.names.indices.filter { contains(Diagnostics(rawValue: 1 << $0)) }
        .map { .string(Self.names[$0]) })
  }
}

/// The bits, as ``ConditionDiagnostics`` numbers them; only the face reads them.
extension ConditionDiagnostics: JSONCodable {
  package init(json: JSON) throws(CodingFault) { self.init(rawValue: try UInt16(json: json)) }
  package var json: JSON { rawValue.json }
}
