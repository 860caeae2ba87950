import Glibc

/// A program that is started and waited for.
enum ChildProgram {
  /// Runs a program of the path with the standard streams of this one; returns its exit status, or 127 if it
  /// could not be started, or was ended by a signal.
  static func run(_ words: [String], _ variables: [String: String]) -> Int32 {
    let lines = variables.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    var arguments = words.map { strdup($0) } + [nil]
    var environment = lines.map { strdup($0) } + [nil]
    defer { for text in arguments + environment { free(text) } }
    var process: pid_t = 0
    guard let name = words.first,
      posix_spawnp(&process, name, nil, nil, &arguments, &environment) == 0
    else { return 127 }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 { guard errno == EINTR else { return 127 } }
    // The exit status is in the second byte, a signal in the first.
    return status & 0x7F == 0 ? (status >> 8) & 0xFF : 127
  }
}
