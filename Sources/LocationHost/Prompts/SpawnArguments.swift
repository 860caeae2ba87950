/// Strings as `linux_spawn` takes them: each ended by NUL, and one more NUL behind the last.
enum SpawnArguments {
  static func block(_ strings: [String]) -> [CChar] { strings.flatMap(\.utf8CString) + [0] }
}
