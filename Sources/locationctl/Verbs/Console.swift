import FoundationEssentials
import Glibc
import LocationCoding
import LocationHost

extension Verb {
  private static let port = Option(
    name: "port", value: .wholeNumber("N", 0...65_535),
    summary: "The port of the loopback; any that is free unless given")
  private static let noOpen = Option(
    name: "no-open", summary: "Only print the address; a browser is opened otherwise")
  private static let tiles = Option(
    name: "tiles", value: .text("URL"),
    summary: "Map tiles from a server, with {z}, {x}, {y}; else the map is drawn without a network")
  private static let attribution = Option(
    name: "attribution", value: .text("TEXT"), summary: "With --tiles: whose the map is")

  static let console = Verb(
    name: "console", summary: "Show on a map in a browser where, why, and what it costs",
    details: [
      """
      Opens a page that this program serves until it is interrupted. It shows what the location \
      daemon is doing, as its owner may see it, and it can switch services, change what apps may \
      know, and erase; with FILE, or one dropped on it, a day in virtual time: the way, every event \
      with the fixes that decided it, and how the day would have been with other fences.
      """,
      """
      The page is at 127.0.0.1 and for programs of your own user alone. Its address works once, \
      within ten minutes. Nothing is fetched from a network, unless --tiles names a server, which \
      then sees which part of the map you look at.
      """,
      """
      Needs libmicrohttpd and Leaflet: apt install libmicrohttpd12 libjs-leaflet.
      """,
    ],
    operands: [
      Operand(
        name: "FILE",
        summary: "A day to show: GPX, a receiver's log, a recording, .jsonl, or a scenario",
        isOptional: true)
    ],
    options: [port, noOpen, tiles, attribution, .json],
    examples: [
      "locationctl console", "locationctl console track.gpx",
      "locationctl console --no-open --port 8080 \"City Run\"",
    ],
    run: { invocation in
      let environment = ProcessInfo.processInfo.environment
      let program =
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
      let settings = try ConsoleSettings(
        tiles: invocation.text(tiles), attribution: invocation.text(attribution), as: invocation)
      let server = ConsoleServer(try ConsolePage(environment, program: program), settings)
      if let file = invocation.operand(0) {
        let bytes = try SimulationFile.bytes(of: file, as: invocation)
        try server.read(file.split(separator: "/").last.map(String.init) ?? file, bytes)
      }
      let end = EndSignals()
      try server.run(
        port: UInt16(invocation.wholeNumber(port) ?? 0), users: users(environment)
      ) { address in
        show(address, invocation)
        end.wait()
      }
    })

  /// Returns the users whose programs may connect: this one, and behind sudo the one who has typed it.
  private static func users(_ environment: [String: String]) -> Set<UInt32> {
    let own = getuid()
    guard own == 0, let person = environment["SUDO_UID"].flatMap({ UInt32($0) }) else {
      return [own]
    }
    return [own, person]
  }

  private static func show(_ address: String, _ invocation: Invocation) {
    if invocation.has(.json) {
      var line = JSONLine(type: "console")
      line.add("address", address)
      Output.standard.line(line.text)
    } else {
      Output.standard.line("The console is at \(address)")
      Output.standard.line("The address works once. Interrupt this program (Ctrl-C) to close it.")
    }
    guard !invocation.has(noOpen) else { return }
    let words = ["/bin/sh", "-c", openBrowser, "sh", address]
    guard ChildProgram.run(words, ProcessInfo.processInfo.environment) == 0 else {
      return Output.error.line("no browser was opened: open the address yourself")
    }
  }

  /// Commands of a shell that start the browser, wait for nothing, and show nothing.
  private static let openBrowser =
    "command -v xdg-open > /dev/null || exit 1; xdg-open \"$1\" < /dev/null > /dev/null 2>&1 &"
}
