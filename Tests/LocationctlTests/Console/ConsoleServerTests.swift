import Foundation
import Glibc
import TestSupport
import Testing

@testable import locationctl

@Suite("locationctl console, over HTTP")
struct ConsoleServerTests {
  @Test("CONSOLE-1: serves its page on the loopback, and nothing once it is interrupted")
  func serves() async throws {
    let console = try await ConsoleRun()
    let cookie = try console.enter()
    let page = try console.ask("GET /", headers: ["Cookie: \(cookie)"])
    #expect(page.status == 200)
    #expect(page.text.contains("<title>Meridian console</title>"))
    for name in ConsolePage.files + ConsolePage.libraryFiles.map({ "leaflet/\($0)" }) {
      let file = try console.ask("GET /\(name)", headers: ["Cookie: \(cookie)"])
      #expect(file.status == 200, "\(name)")
      #expect(!file.body.isEmpty, "\(name)")
    }
    let table = try String(contentsOfFile: "/proc/net/tcp", encoding: .utf8)
    let digits = String(console.port, radix: 16, uppercase: true)
    let own = String(repeating: "0", count: 4 - digits.count) + digits
    let listening = table.split(separator: "\n").map { $0.split(separator: " ") }
      .filter { $0.count > 3 && $0[1].hasSuffix(":\(own)") && $0[3] == "0A" }
    #expect(listening.map { String($0[1]) } == ["0100007F:\(own)"])
    console.program.end(with: SIGTERM)
    #expect(throws: POSIXError.self) { try console.ask("GET /") }
  }

  @Test("CONSOLE-2: an address that was used, stolen, or guessed opens nothing")
  func stolen() async throws {
    let console = try await ConsoleRun()
    #expect(try console.ask("GET /").status == 401)
    #expect(try console.ask("GET /?token=0123").status == 403)
    let first = try console.ask("GET /?token=\(console.token)")
    #expect(first.status == 303)
    #expect(first.head.contains("HttpOnly; SameSite=Strict"))
    let second = try console.ask("GET /?token=\(console.token)")
    #expect(second.status == 403)
    #expect(!second.head.contains("Set-Cookie"))
    #expect(try console.ask("GET /api/live").status == 401)
  }

  @Test(
    "CONSOLE-3, CONSOLE-4: a rebound name and another origin's script are refused, with the cookie too"
  )
  func foreign() async throws {
    let console = try await ConsoleRun()
    let cookie = "Cookie: \(try console.enter())"
    let own = "Origin: \(console.origin)"
    for host in ["evil.example:\(console.port)", "localhost:\(console.port)", "127.0.0.1"] {
      #expect(try console.ask("GET /api/live", host: host, headers: [cookie]).status == 421)
    }
    let twice = ["Host: evil.example", cookie]
    #expect(try console.ask("GET /api/live", headers: twice).status != 200)
    for origin in ["http://evil.example", "null"] {
      let headers = [cookie, "Origin: \(origin)"]
      #expect(try console.ask("GET /api/settings", headers: headers).status == 403)
      let body = Array(#"{"on":false}"#.utf8)
      let answer = try console.ask("POST /api/services", headers: headers, body: body)
      #expect(answer.status == 403)
    }
    let both = [cookie, own, "Origin: http://evil.example"]
    #expect(try console.ask("GET /api/settings", headers: both).status == 403)
    let site = [cookie, "Sec-Fetch-Site: cross-site"]
    #expect(try console.ask("GET /api/settings", headers: site).status == 403)
    #expect(try console.ask("GET /api/settings", headers: [cookie, own]).status == 200)
  }

  @Test(
    "CONSOLE-5: another user of this computer is refused, with the address and with the cookie",
    .enabled(if: getuid() == 0, "needs root, to be another user"))
  func otherUser() async throws {
    let console = try await ConsoleRun()
    func status(_ path: String, _ cookie: String) throws -> String {
      let script =
        "import http.client, sys\n"
        + "link = http.client.HTTPConnection('127.0.0.1', \(console.port), timeout=30)\n"
        + "link.request('GET', '\(path)', headers={'Cookie': '\(cookie)'})\n"
        + "print(link.getresponse().status)\n"
      return try Run(
        program: "/usr/bin/setpriv",
        [
          "--reuid", "nobody", "--regid", "nogroup", "--clear-groups", "/usr/bin/python3", "-c",
          script,
        ]
      ).output
    }
    #expect(try status("/?token=\(console.token)", "") == "403\n")
    let cookie = try console.enter()
    #expect(cookie.hasPrefix("meridian-console-"), "the token was not used up by the other user")
    #expect(try status("/api/live", cookie) == "403\n")
  }

  @Test("CONSOLE-6: every answer keeps everything from elsewhere out")
  func headers() async throws {
    let console = try await ConsoleRun()
    let cookie = "Cookie: \(try console.enter())"
    for answer in [
      try console.ask("GET /", headers: [cookie]), try console.ask("GET /"),
      try console.ask("GET /", host: "evil.example"),
    ] {
      for header in [
        "Content-Security-Policy: default-src 'none'; script-src 'self'", "frame-ancestors 'none'",
        "X-Content-Type-Options: nosniff", "Referrer-Policy: no-referrer",
        "Cache-Control: no-store",
        "Cross-Origin-Resource-Policy: same-origin",
      ] {
        #expect(answer.head.contains(header), "\(header) in \(answer.head)")
      }
      #expect(!answer.head.contains("Access-Control-Allow"))
    }
  }

  @Test("CONSOLE-7: other methods, and bodies that are too long, are refused")
  func bounds() async throws {
    let console = try await ConsoleRun()
    let headers = ["Cookie: \(try console.enter())", "Origin: \(console.origin)"]
    for method in ["PUT", "DELETE", "OPTIONS", "PATCH"] {
      #expect(
        try console.ask("\(method) /api/services", headers: headers).status == 405, "\(method)")
    }
    let long = [UInt8](repeating: UInt8(ascii: "a"), count: 70_000)
    #expect(try console.ask("POST /api/services", headers: headers, body: long).status == 413)
    #expect(try console.ask("POST /api/services", body: long).status == 403)
    let wrong = try console.ask("POST /api/services", headers: headers, body: Array("{".utf8))
    #expect(wrong.status == 409)
    #expect(wrong.text.contains("not understood"))
    let launch = #"{"app":"org.example.Walk","registered":true}"#
    #expect(try console.ask("POST /api/launch", body: Array(launch.utf8)).status == 403)
    let unanswered = try console.ask("POST /api/launch", headers: headers, body: Array(launch.utf8))
    #expect(unanswered.status == 409, "CONSOLE-17: no daemon says what the app's program is")
    let erase = try console.ask("POST /api/erase", headers: headers, body: Array("{}".utf8))
    #expect(erase.text.contains("no field `app`"), "erasing everything needs more than a click")
    #expect(try console.ask("GET /api/settings", headers: headers).status == 200)
  }

  @Test("CONSOLE-7: 24 connections are served at once, and one more is closed")
  func manyConnections() async throws {
    let console = try await ConsoleRun()
    let headers = ["Cookie: \(try console.enter())"]
    func ask(_ line: ConsoleRun.Line) { line.send("GET /api/settings", headers: headers) }
    var lines: [ConsoleRun.Line] = []
    for _ in 0..<24 {
      let line = try console.line()
      ask(line)
      #expect(line.status() == 200)
      lines.append(line)
    }
    let next = try console.line()
    ask(next)
    #expect(next.status() == 0)
    for line in lines {
      ask(line)
      #expect(line.status() == 200)
    }
  }

  @Test("CONSOLE-8: says what is missing where no daemon runs")
  func noDaemon() async throws {
    let console = try await ConsoleRun()
    let headers = ["Cookie: \(try console.enter())"]
    let first = try console.ask("GET /api/live", headers: headers).text
    #expect(first.contains(#""version":"#))
    let next = try console.ask("GET /api/live?after=0", headers: headers).text
    #expect(next.contains(#""problem":"#))
  }

  @Test("says what is wrong with the words and the file, and serves nothing")
  func wrong() throws {
    #expect(try Run(["console", "--port", "70000"]).status == 2)
    #expect(
      try Run(["console", "--tiles", "https://tiles.example/{z}"]).error.contains("--attribution"))
    let folder = try TemporaryFolder()
    let file = folder.file("broken.txt")
    try Data("scenario Broken\nplace nowhere\n".utf8).write(to: URL(fileURLWithPath: file))
    let run = try Run(["console", "--no-open", file])
    #expect(run.status == 2)
    #expect(run.error.contains("line 2"))
    let missing = try Run(
      ["console", "--no-open"], environment: ["MERIDIAN_CONSOLE": "/nonexistent"])
    #expect(missing.error.contains("Next: make install"))
  }

  @Test("has every file of the page's folder, and no other")
  func files() throws {
    let folder = SharedData.packageRoot.appending(path: "console")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(names.sorted() == ConsolePage.files.sorted())
  }
}
