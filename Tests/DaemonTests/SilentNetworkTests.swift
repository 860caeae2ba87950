import Foundation
import TestSupport
import Testing

/// What the daemon, an app of it, and `locationctl` send while nobody has named a server.
@Suite(
  "A machine without a server", .serialized,
  .enabled(
    if: getuid() == 0 && isInstalled("unshare") && isInstalled("python3"),
    "only root makes a network"))
struct SilentNetworkTests {
  /// In a network of its own, whose only way out ends at a socket that sees every frame: starts a daemon,
  /// has it asked for everything, and prints the number of frames.
  private static let script = """
    import os, socket, subprocess, sys
    folder, binaries, sources = sys.argv[1], os.path.realpath(sys.argv[2]), sys.argv[3:]
    quiet = dict(stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for line in ("link set lo up", "link add out type veth peer name wire",
                 "link set out addrgenmode none", "link set wire addrgenmode none",
                 "address add 198.51.100.2/24 dev out", "link set out up", "link set wire up",
                 "route add default via 198.51.100.1"):
      if subprocess.run(["ip"] + line.split(), **quiet).returncode: sys.exit("no network: " + line)
    wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
    wire.bind(("wire", 0))
    notices = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    notices.bind(folder + "/notices")
    notices.settimeout(30)
    own = {"PATH": os.environ["PATH"], "HOME": folder, "XDG_STATE_HOME": folder + "/own",
           "NOTIFY_SOCKET": folder + "/notices", "LOCATIOND_SOCKET": folder + "/socket"}
    if sources: own["CORELOCATION_SOURCES"] = " ".join(sources)
    with open(folder + "/locationd.conf", "w") as file:
      file.write(f"owner-program = {binaries}/locationctl\\nagent-program = {binaries}/locationctl\\n")
    daemon = subprocess.Popen(
      [binaries + "/locationd", "--socket", folder + "/socket", "--state", folder + "/state",
       "--config", folder + "/locationd.conf"], env=own, **quiet)
    while b"READY=1" not in notices.recv(4096): pass
    app = binaries + "/AsyncApp"
    for words in (["authorize", app, "always"], ["once", "--timeout", "2"], ["reverse", "48.5,11.5"],
                  ["geocode", "Ulm"], ["status"], ["doctor", "--timeout", "1"]):
      code = subprocess.run([binaries + "/locationctl"] + words, env=own, **quiet).returncode
      print(words[0], code)
    client = subprocess.Popen([app], env=own, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    print("app", client.stdout.readline().decode().strip())
    client.kill()
    daemon.terminate()
    daemon.wait()
    wire.setblocking(False)
    frames = 0
    while True:
      try: wire.recv(65536)
      except BlockingIOError: break
      frames += 1
    print("frames", frames, flush=True)
    """

  /// The number of frames that leave the network, and everything that was printed.
  private func run(_ sources: [String]) async throws -> (frames: Int?, log: [String]) {
    let folder = try TemporaryFolder()
    let binaries = URL(fileURLWithPath: BuiltProgram.path("locationd")).deletingLastPathComponent()
    let program = try RunningProgram(
      "/usr/bin/unshare",
      ["--net", "/usr/bin/python3", "-c", Self.script, folder.path, binaries.path] + sources)
    defer { program.end() }
    var log: [String] = []
    while log.last?.hasPrefix("frames") != true, log.last?.hasPrefix("no network") != true {
      log.append(try await program.lines.next(seconds: 60) { _ in true })
    }
    return (log.last?.split(separator: " ").last.flatMap { Int($0) }, log)
  }

  @Test("NET-4: nothing leaves a machine while no server and no source elsewhere is named")
  func silence() async throws {
    let quiet = try await run([])
    #expect(quiet.frames == 0, "\(quiet.log)")
    #expect(quiet.log.contains("authorize 0") && quiet.log.contains("reverse 0"), "\(quiet.log)")
    // What would leave is seen.
    let other = try await run(["nmea+tcp://192.0.2.1:10110"])
    #expect(other.frames ?? 0 > 0, "\(other.log)")
  }
}
