import Foundation
import TestSupport
import Testing

/// The `varlink` package of PyPI, which knows nothing of this project.
@Suite("A foreign client", .serialized)
struct ForeignClientTests {
  /// A Python with the package, installed once below `.build`; `nil` where it cannot be had.
  static let python: String? = {
    let folder = BuiltProgram.path("varlink-client")
    let python = folder + "/bin/python"
    let has = { run(python, ["-c", "import varlink"]) }
    if has() { return python }
    guard run("/usr/bin/env", ["python3", "-m", "venv", folder]),
      run(python, ["-m", "pip", "install", "--quiet", "varlink==31.0.0"]), has()
    else { return nil }
    return python
  }()

  private static func run(_ program: String, _ arguments: [String]) -> Bool {
    (try? FinishedProgram(program, arguments))?.status == 0
  }

  private static let script = """
    import os, sys, varlink
    print("program", os.readlink("/proc/self/exe"), flush=True)
    with varlink.Client(address="unix:" + sys.argv[1]) as client:
      print("interfaces", *client.get_interfaces(), flush=True)
      with client.open("org.meridian.location") as location:
        print("status", location.GetState()["state"]["authorization"]["status"], flush=True)
        for reply in location.Watch(_more=True):
          update = reply["update"]
          if update.get("fix"):
            print("live", update["fix"]["latitude"], flush=True)
          else:
            print("no fix", *update["diagnostics"], flush=True)
    """

  @Test(
    "reads the interface, gets live updates, and learns why when it gets none",
    .enabled(if: ForeignClientTests.python != nil, "no Python with the package `varlink` 31.0.0"))
  func live() async throws {
    let daemon = try await DaemonRun()
    let python = try #require(Self.python)
    let client = try daemon.run(python, "-c", Self.script, daemon.socket)
    defer { client.end() }
    let program = try await client.lines.next { line in
      line.hasPrefix("program ") ? String(line.dropFirst(8)) : nil
    }
    let interfaces = try await client.lines.next { $0.hasPrefix("interfaces") }
    #expect(interfaces.contains("org.meridian.location"))
    _ = try await client.lines.next { $0 == "status notDetermined" }
    _ = try await client.lines.next { $0.hasPrefix("no fix") }
    try await daemon.answer("whenInUse", for: program)
    for _ in 0..<3 { _ = try await client.lines.next { $0 == "live 48.5" } }
    try await daemon.answer("denied", for: program)
    _ = try await client.lines.next { $0 == "no fix authorizationDenied" }
  }
}
