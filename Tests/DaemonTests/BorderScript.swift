import Foundation
import TestSupport

/// A program in Python that speaks the link by hand: an app, or something that only claims to be
/// harmless. Its arguments are the socket and whatever a script wants.
enum BorderScript {
  /// The interpreter itself, as the kernel names it.
  static let python: String = {
    guard let path = realpath("/usr/bin/python3", nil) else { return "/usr/bin/python3" }
    defer { free(path) }
    return String(cString: path)
  }()

  static let tool = BuiltProgram.path("locationctl")

  private static let beginning = """
    import ctypes, fcntl, json, os, pty, socket, subprocess, sys, termios
    path = sys.argv[1]
    open_link = "org.meridian.location.Open"
    attend = "org.meridian.agent.Attend"
    status = "org.meridian.administration.GetStatus"
    def connect():
      s = socket.socket(socket.AF_UNIX); s.connect(path); s.settimeout(60)
      return s
    def send(s, method, more=False, **parameters):
      words = {"method": method, "more": more, "parameters": parameters}
      s.sendall(json.dumps(words).encode() + b"\\0")
    def reply(s):
      data = b""
      while not data.endswith(b"\\0"):
        piece = s.recv(1)
        if not piece: return "hung up"
        data += piece
      return data[:-1].decode()
    def ask(s, method, more=False, **parameters):
      send(s, method, more, **parameters)
      return reply(s)
    def say(*words): print(*words, flush=True)
    def serve():
      s = connect()
      ask(s, open_link, True, version=2)
      return s
    def locationctl(*words):
      done = subprocess.run([sys.argv[2], *words], stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
      say("ended", done.returncode, done.stdout.decode().replace("\\n", " "))

    """

  /// Puts a program on a terminal that the script holds, and answers once when it is asked; returns what it
  /// has said.
  static let terminal = """
    import os, pty, sys
    def hold_terminal(*words):
      pid, terminal = pty.fork()
      if pid == 0: os.execv(words[0], words)
      said = b""
      answered = False
      while True:
        try: piece = os.read(terminal, 4096)
        except OSError: break
        said += piece
        sys.stdout.write(piece.decode(errors="replace")); sys.stdout.flush()
        if not answered and b"Answer: " in said:
          os.write(terminal, b"w\\n"); answered = True
      return said.decode(errors="replace")

    """

  /// Runs a script with the interpreter.
  static func run(
    _ daemon: DaemonRun, _ script: String, _ arguments: String..., program: String = python,
    as user: String? = nil
  ) throws -> RunningProgram {
    let become = user.map { ["/usr/sbin/runuser", "-u", $0, "--"] } ?? []
    let command = become + [program, "-c", beginning + script, daemon.socket] + arguments
    return try RunningProgram(
      command[0], Array(command.dropFirst()), environment: daemon.surroundings)
  }
}
