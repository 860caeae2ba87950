package import LocationModel

/// An enumeration whose cases have no values: it is encoded as the name of its case.
package protocol WireNamed: WireCodable, CaseIterable, Sendable {}

extension WireNamed {
  package init(json: JSON) throws(LinkFault) {
    let name = try String(json: json)
    guard let value = Self.allCases.first(where: { "\($0)" == name }) else {
      throw .unknownWord(name)
    }
    self = value
  }

  package var json: JSON { .string("\(self)") }
}

extension ActivityKind: WireNamed {}
extension AuthorizationGoal: WireNamed {}
extension Failure: WireNamed {}
extension DeferralFault: WireNamed {}
extension RegionFailure: WireNamed {}

extension AppLife: WireCodable {}
extension AuthorizationStatus: WireCodable {}
extension AccuracyAuthorization: WireCodable {}
extension AccuracyRefusal: WireCodable {}
extension ConditionState: WireCodable {}
extension MonitoredState: WireCodable {}

extension SubscriberID: WireCodable {
  package init(json: JSON) throws(LinkFault) { self.init(try UInt32(json: json)) }
  package var json: JSON { rawValue.json }
}

extension EventNumber: WireCodable {
  package init(json: JSON) throws(LinkFault) { self.init(rawValue: try Int64(json: json)) }
  package var json: JSON { rawValue.json }
}

/// Encoded as nanoseconds since 1970.
extension UnixTime: WireCodable {
  package init(json: JSON) throws(LinkFault) { self.init(nanoseconds: try Int64(json: json)) }
  package var json: JSON { nanoseconds.json }
}

/// Encoded as nanoseconds.
extension Duration: WireCodable {
  package init(json: JSON) throws(LinkFault) { self = .nanoseconds(try Int64(json: json)) }
  package var json: JSON { wholeNanoseconds.json }
}

/// Encoded as the names of the flags that are set; unknown names of a newer peer are left out.
extension Diagnostics: WireCodable {
  package init(json: JSON) throws(LinkFault) {
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
extension ConditionDiagnostics: WireCodable {
  package init(json: JSON) throws(LinkFault) { self.init(rawValue: try UInt16(json: json)) }
  package var json: JSON { rawValue.json }
}
