package import LocationCoding

/// A call of Varlink, as a client sends it.
package struct LinkCall: Hashable, Sendable {
  /// The interface and the method, as in `org.meridian.location.Watch`.
  package var method: String
  package var parameters: JSON
  /// Whether the client accepts more than one reply.
  package var wantsMore: Bool
  /// Whether the client wants no reply.
  package var isOneway: Bool

  package init(
    _ method: String, _ parameters: JSON = .object([]), wantsMore: Bool = false,
    isOneway: Bool = false
  ) {
    self.method = method
    self.parameters = parameters
    self.wantsMore = wantsMore
    self.isOneway = isOneway
  }
}

extension LinkCall: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    self.init(
      try json.get("method"), json["parameters"] ?? .object([]),
      wantsMore: try json.find("more") ?? false, isOneway: try json.find("oneway") ?? false)
  }

  package var json: JSON {
    .fields([
      "method": method.json, "parameters": parameters, "more": wantsMore ? true.json : nil,
      "oneway": isOneway ? true.json : nil,
    ])
  }
}

/// A reply of Varlink.
package struct LinkReply: Hashable, Sendable {
  package var parameters: JSON
  /// The full name of the error; `nil` when there is none.
  package var error: String?
  /// Whether more replies to the same call follow.
  package var continues: Bool

  package init(_ parameters: JSON = .object([]), error: String? = nil, continues: Bool = false) {
    self.parameters = parameters
    self.error = error
    self.continues = continues
  }
}

extension LinkReply: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    self.init(
      json["parameters"] ?? .object([]), error: try json.find("error"),
      continues: try json.find("continues") ?? false)
  }

  package var json: JSON {
    .fields([
      "error": error?.json, "parameters": parameters, "continues": continues ? true.json : nil,
    ])
  }
}
