import LocationModel

/// What a person has allowed an app, as `locationctl authorize` writes it.
package enum AuthorizationLevel: String, Sendable {
  case never, ask, once, whenInUse, always

  /// Creates a level; an app without a record was never asked.
  package init(_ grant: AuthorizationRecord.Grant?) {
    switch grant {
    case .denied: self = .never
    case .undecided, nil: self = .ask
    case .once: self = .once
    case .whenInUse: self = .whenInUse
    case .provisionalAlways, .always: self = .always
    }
  }

  /// The words of the command, and the inputs that they stand for.
  package static let settings: [(word: String, input: Authorization.Input)] = [
    ("never", .setting(.never)), ("ask", .setting(.ask)), ("whenInUse", .setting(.whileUsing)),
    ("always", .setting(.always)), (reset, .reset),
  ]

  /// The word for an app that counts as never asked.
  package static let reset = "reset"
}
