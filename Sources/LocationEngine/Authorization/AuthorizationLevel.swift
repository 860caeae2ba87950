import LocationModel

/// What a person has allowed an app, in the words of `locationctl authorize`.
package enum AuthorizationLevel: String, Sendable {
  case never, ask, once, whenInUse, always

  /// An app without a record was never asked.
  package init(_ grant: AuthorizationRecord.Grant?) {
    switch grant {
    case .denied: self = .never
    case .undecided, nil: self = .ask
    case .once: self = .once
    case .whenInUse: self = .whenInUse
    case .provisionalAlways, .always: self = .always
    }
  }

  /// The words that can be typed, and what they mean to the machine.
  package static let settings: [(word: String, input: Authorization.Input)] = [
    ("never", .setting(.never)), ("ask", .setting(.ask)), ("whenInUse", .setting(.whileUsing)),
    ("always", .setting(.always)), ("reset", .reset),
  ]
}
