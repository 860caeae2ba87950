package import LocationModel

/// An enumeration whose cases carry nothing: its names travel as strings.
package protocol NamedWord: LinkWord, CaseIterable, Sendable {}

extension NamedWord {
  package init(json: JSON) throws(LinkFault) {
    let name = try String(json: json)
    guard let value = Self.allCases.first(where: { "\($0)" == name }) else {
      throw .unknownWord(name)
    }
    self = value
  }

  package var json: JSON { .string("\(self)") }
}

extension ActivityKind: NamedWord {}
extension AuthorizationGoal: NamedWord {}
extension Failure: NamedWord {}
extension DeferralFault: NamedWord {}
extension RegionFailure: NamedWord {}

extension AppLife: LinkWord {}
extension AuthorizationStatus: LinkWord {}
extension AccuracyAuthorization: LinkWord {}
extension AccuracyRefusal: LinkWord {}
extension ConditionState: LinkWord {}
extension MonitoredState: LinkWord {}

extension SubscriberID: LinkWord {
  package init(json: JSON) throws(LinkFault) { self.init(try UInt32(json: json)) }
  package var json: JSON { rawValue.json }
}

extension EventNumber: LinkWord {
  package init(json: JSON) throws(LinkFault) { self.init(rawValue: try Int64(json: json)) }
  package var json: JSON { rawValue.json }
}

/// Nanoseconds since 1970.
extension UnixTime: LinkWord {
  package init(json: JSON) throws(LinkFault) { self.init(nanoseconds: try Int64(json: json)) }
  package var json: JSON { nanoseconds.json }
}

/// Nanoseconds.
extension Duration: LinkWord {
  package init(json: JSON) throws(LinkFault) { self = .nanoseconds(try Int64(json: json)) }
  package var json: JSON { wholeNanoseconds.json }
}

/// The names of the flags that are set; names of a newer peer are left out.
extension Diagnostics: LinkWord {
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
extension ConditionDiagnostics: LinkWord {
  package init(json: JSON) throws(LinkFault) { self.init(rawValue: try UInt16(json: json)) }
  package var json: JSON { rawValue.json }
}
