import Foundation
import TestSupport

/// A shell with job control on a terminal of its own, and one job: all programs that it has run.
final class JobControl: Sendable {
  private let program: RunningProgram
  private let commands: FileHandle

  init(environment: [String: String], in folder: TemporaryFolder) throws {
    let path = folder.file("commands-\(UUID())")
    guard mkfifo(path, 0o600) == 0 else { throw POSIXError(.EIO) }
    program = try RunningProgram(
      "/usr/bin/env", ["python3", "-c", Self.shell, path], environment: environment)
    // Opened both ways, or it would wait for the shell.
    let descriptor = open(path, O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { throw POSIXError(.EIO) }
    commands = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  /// Runs a program in the job.
  func run(_ words: [String]) async throws { try await obey(["run"] + words) }

  /// Gives the terminal to the job.
  func front() async throws { try await obey(["front"]) }

  /// Takes the terminal from the job, which goes on in the background.
  func behind() async throws { try await obey(["behind"]) }

  func end() { program.end() }

  private func obey(_ words: [String]) async throws {
    try commands.write(contentsOf: JSONEncoder().encode(words) + Data("\n".utf8))
    let done = "did \(words[0])"
    _ = try await program.lines.next { $0.hasSuffix(done) }
  }

  private static let shell = """
    import json, os, pty, signal, sys
    pid, terminal = pty.fork()
    if pid:
      while True: os.write(1, os.read(terminal, 4096).replace(b"\\r", b""))
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    job = 0
    with open(sys.argv[1]) as commands:
      for line in iter(commands.readline, ""):
        what, *words = json.loads(line)
        if what == "run":
          child = os.fork()
          if not child:
            os.setpgid(0, job)
            signal.signal(signal.SIGTTOU, signal.SIG_DFL)
            os.execv(words[0], words)
          job = job or child
          try: os.setpgid(child, job)
          except OSError: pass
        elif what == "front": os.tcsetpgrp(0, job)
        elif what == "behind": os.tcsetpgrp(0, os.getpgrp())
        print("did", what, flush=True)
    """
}
