import Glibc

/// Runs Debian's `osmium` over an extract and hands on what it writes, line by line.
///
/// Osmium assembles areas and reads every format of OpenStreetMap (PBF, XML, OPL); its text output
/// is one feature a line.
struct OsmiumExport {
  enum Failure: Error, Hashable {
    /// `osmium` is not installed.
    case notInstalled
    /// It ended with this status; the reason is on standard error.
    case failed(status: Int32)
  }

  let extract: String
  /// A file of ours for the part of the extract that has names or addresses.
  let scratch: String

  private static let program = "osmium"
  /// The status of a child that could not start.
  private static let notFound: Int32 = 127

  /// Calls `body` with every line; stops early when `body` returns `false`.
  func forEachLine(_ body: (Substring) -> Bool) throws(Failure) {
    defer { unlink(scratch) }
    let filter = [
      "tags-filter", "--no-progress", "--overwrite", "-f", "pbf", "-o", scratch, "--", extract,
      "name", "ref", "addr:*",
    ]
    try run(filter) { _ in true }
    try run(["export", "--no-progress", "-F", "pbf", "-f", "text", "-o", "-", "--", scratch], body)
  }

  private func run(_ arguments: [String], _ body: (Substring) -> Bool) throws(Failure) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw .failed(status: errno) }
    let child = try spawn(arguments, writingTo: ends[1], closing: ends[0])
    close(ends[1])
    let wantsMore = readLines(from: ends[0], body)
    close(ends[0])
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
    guard wantsMore else { return }
    let exit = (status >> 8) & 0xFF
    if exit == Self.notFound { throw .notInstalled }
    guard status == 0 else { throw .failed(status: exit) }
  }

  private func spawn(
    _ words: [String], writingTo output: Int32, closing other: Int32
  ) throws(Failure) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    posix_spawn_file_actions_addclose(&actions, output)
    posix_spawn_file_actions_addclose(&actions, other)
    var arguments = ([Self.program] + words).map { strdup($0) } + [nil]
    defer { arguments.forEach { free($0) } }
    var child: pid_t = 0
    let code = posix_spawnp(&child, Self.program, &actions, nil, &arguments, environ)
    guard code == 0 else { throw code == ENOENT ? .notInstalled : .failed(status: code) }
    return child
  }

  /// Whether all lines were taken.
  private func readLines(from descriptor: Int32, _ body: (Substring) -> Bool) -> Bool {
    guard let file = fdopen(dup(descriptor), "r") else { return true }
    defer { fclose(file) }
    var line: UnsafeMutablePointer<CChar>?
    var capacity = 0
    defer { free(line) }
    while true {
      let count = getline(&line, &capacity, file)
      guard count > 0, let line else { return true }
      let bytes = UnsafeRawBufferPointer(start: line, count: count)
      let text = String(decoding: bytes, as: UTF8.self)
      guard body(text.hasSuffix("\n") ? text.dropLast() : text[...]) else { return false }
    }
  }
}
