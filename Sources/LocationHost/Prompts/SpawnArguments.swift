/// Strings in the form of `linux_spawn`: each ended by NUL, and one more NUL after the last.
package enum SpawnArguments {
  package static func block(_ strings: [String]) -> [CChar] { strings.flatMap(\.utf8CString) + [0] }
}
