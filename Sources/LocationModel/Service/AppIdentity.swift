/// Who an app is: a bundle identifier, or the path of an executable without one (MODEL-1).
///
/// Authorization, conditions, and sessions are kept per identity, not per process.
package struct AppIdentity: Hashable, Comparable, Sendable, CustomStringConvertible {
  package var name: String

  package init(_ name: String) {
    self.name = name
  }

  package var description: String { name }

  package static func < (left: AppIdentity, right: AppIdentity) -> Bool { left.name < right.name }
}
