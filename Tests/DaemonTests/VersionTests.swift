import Foundation
import LocationCoding
import TestSupport
import LocationLink
import LocationModel
import Testing

/// An older client and a newer daemon, and the reverse: what one of them does not know is left out.
@Suite("Link versions", .serialized)
struct VersionTests {
  @Test("a newer client is served in the daemon's version, whatever else it says")
  func newerClient() async throws {
    let daemon = try await DaemonRun()
    let caller = try LinkCaller(daemon.socket)
    let hello = JSON.fields(["version": .integer(99), "wishes": .array([.string("teleport")])])
    let welcome = try caller.call("\(LinkInterface.name).Open", hello, more: true)
    #expect(welcome.parameters["version"] == .integer(3))
    func ask(_ request: JSON) {
      caller.send(
        frame(
          LinkCall("\(LinkInterface.name).Ask", .fields(["request": request]), isOneway: true).json)
      )
    }
    ask(.word("teleport", .fields(["to": .string("the moon")])))
    // A request it knows, with a member that it does not.
    ask(
      .word(
        "monitor",
        .fields([
          "subscriber": .integer(1),
          "ask": .word(
            "open",
            .fields([
              "name": .string("m"), "color": .string("red"),
            ])),
        ])))
    var delivery: JSON?
    while delivery?["monitor"] == nil { delivery = try caller.reply().parameters["delivery"] }
    #expect(
      try Delivery(json: #require(delivery)) == .monitor(SubscriberID(1), .records(after: 1, [])))
    daemon.program.terminate()
  }

  @Test("a client older than any that the daemon speaks with gets the supported versions")
  func tooOld() async throws {
    let daemon = try await DaemonRun()
    let reply = try LinkCaller(daemon.socket)
      .call("\(LinkInterface.name).Open", .fields(["version": .integer(0)]), more: true)
    #expect(reply.error == "\(LinkInterface.name).VersionUnsupported")
    #expect(reply.parameters["oldest"] == .integer(1))
    daemon.program.terminate()
  }

  /// A daemon of the future: it says more than this client knows.
  private static let newer = """
    import json, os, socket, sys
    listener = socket.socket(socket.AF_UNIX); listener.bind(sys.argv[1]); listener.listen()
    print("ready", flush=True)
    while True:
      client, _ = listener.accept()
      rest = b""
      def say(**reply): client.sendall(json.dumps(reply).encode() + b"\\0")
      while True:
        piece = client.recv(65536)
        if not piece: break
        rest += piece
        *messages, rest = rest.split(b"\\0")
        for message in map(json.loads, messages):
          if message["method"].endswith(".Open"):
            print("client speaks", message["parameters"]["version"], flush=True)
            if len(sys.argv) > 2:
              say(error="org.meridian.location.VersionUnsupported",
                  parameters={"oldest": 7, "newest": 9})
              continue
            say(continues=True, parameters={"version": 1, "weather": "fine", "state": {
              "authorization": {"status": "whenInUse", "accuracy": "full", "mood": "good"},
              "servicesEnabled": True, "regions": [], "equipment": {"telescope": True}}})
          request = message["parameters"].get("request", {})
          if "live" in request and "start" in request["live"]["ask"]:
            subscriber = request["live"]["subscriber"]
            say(continues=True, parameters={"delivery": {"teleported": {"to": "the moon"}}})
            for number in range(5):
              say(continues=True, parameters={"delivery": {"live": {"subscriber": subscriber,
                "news": {"stationary": False, "mood": "good", "diagnostics": ["moonlight"],
                  "fix": {"latitude": 48.5, "longitude": 11.5, "accuracy": 5.0,
                          "time": 1700000000000000000 + number, "vacuum": True}}}}})
    """

  private func pretend(
    _ folder: TemporaryFolder, _ arguments: String...
  ) async throws -> RunningProgram {
    let daemon = try RunningProgram(
      "/usr/bin/env", ["python3", "-c", Self.newer, folder.file("socket")] + arguments)
    _ = try await daemon.lines.next { $0 == "ready" }
    return daemon
  }

  private func app(_ folder: TemporaryFolder) throws -> RunningProgram {
    try RunningProgram(
      BuiltProgram.path("AsyncApp"),
      environment: [
        "LOCATIOND_SOCKET": folder.file("socket"), "CORELOCATION_SOURCES": "",
        "XDG_STATE_HOME": folder.file("none"),
      ])
  }

  @Test("an app with a newer daemon gets what it knows of")
  func newerDaemon() async throws {
    let folder = try TemporaryFolder()
    let daemon = try await pretend(folder)
    defer { daemon.end() }
    let app = try app(folder)
    defer { app.end() }
    _ = try await app.lines.next { $0 == "live 48.5" }
    _ = try await daemon.lines.next { $0 == "client speaks 3" }
  }

  @Test("an app with a daemon that speaks no version in common says so")
  func nothingInCommon() async throws {
    let folder = try TemporaryFolder()
    let daemon = try await pretend(folder, "refuse")
    defer { daemon.end() }
    let app = try app(folder)
    defer { app.end() }
    let line = try await app.lines.next { $0.contains("no location service") }
    #expect(line.contains("version"))
  }
}
