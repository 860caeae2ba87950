import Foundation
import LocationLink
import TestSupport
import Testing

@testable import locationctl

@Suite("What starts apps, in the console")
struct ConsoleLaunchTests {
  private static func wish(_ app: String, _ isRegistered: Bool = true) throws -> ConsoleLaunch {
    try ConsoleLaunch(Array(#"{"app":"\#(app)","registered":\#(isRegistered)}"#.utf8))
  }

  private static func status(_ app: String, program: String?) -> AppStatus {
    var status = AppStatus(app: app, level: "always", isPrecise: true)
    status.program = program
    return status
  }

  private static func reason(_ wish: ConsoleLaunch, _ apps: [AppStatus]) -> String {
    do throws(Failure) {
      return try wish.program(among: apps)?.path ?? "none"
    } catch { return "\(error)" }
  }

  @Test("CONSOLE-17: the program is the one of which the daemon says that it is the app's")
  func program() throws {
    let program = BuiltProgram.path("locationctl")
    let known = [
      Self.status(program, program: program), Self.status("org.example.Walk", program: nil),
    ]
    #expect(Self.reason(try Self.wish(program), known) == program)
    #expect(Self.reason(try Self.wish(program, false), known) == "none")
    #expect(Self.reason(try Self.wish("/bin/true"), known).contains("knows no app"))
    #expect(Self.reason(try Self.wish("org.example.Walk"), known).contains("not known"))
  }

  @Test("CONSOLE-17: a program that is another app now is not registered")
  func another() throws {
    let program = NSTemporaryDirectory() + "walk-\(UUID().uuidString)"
    try Data("#!/bin/sh\n".utf8).write(to: URL(fileURLWithPath: program))
    defer { try? FileManager.default.removeItem(atPath: program) }
    let known = [Self.status("org.example.Walk", program: program)]
    #expect(Self.reason(try Self.wish("org.example.Walk"), known).contains("is another app now"))
    let gone = [Self.status("org.example.Walk", program: "\(program).gone")]
    #expect(Self.reason(try Self.wish("org.example.Walk"), gone).contains("there is no file"))
  }

  @Test("CONSOLE-17: what is not understood is refused")
  func unread() {
    for text in ["", "{}", #"{"app":"a"}"#, #"{"app":1,"registered":true}"#] {
      #expect(throws: Failure.self) { try ConsoleLaunch(Array(text.utf8)) }
    }
  }
}
