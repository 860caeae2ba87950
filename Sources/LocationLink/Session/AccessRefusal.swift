package import LocationCoding

/// Why a program may not do what it requests, and what a person can do about it: the parameters of
/// `NotOwner` and `NotAgent`.
package struct AccessRefusal: Error, Hashable, Sendable {
  package var reason: String
  /// What a person can do; `nil` if nothing helps.
  package var next: String?

  package init(reason: String, next: String? = nil) {
    (self.reason, self.next) = (reason, next)
  }
}

extension AccessRefusal: JSONStructure {
  package static let fields = JSONFields(
    AccessRefusal(reason: ""), .get("reason", \.reason), .find("next", \.next))
}
