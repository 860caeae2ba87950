import Foundation
import LocationSimulation
import TestSupport
import LocationHost
import LocationModel
import LocationRecording
import Testing

@Suite("The flight recorder of a process", .serialized)
struct RecordingFileTests {
  private let folder: TemporaryFolder
  private var file: String { folder.file("flight.rec") }
  /// An hour of it is over in some seconds.
  private let source: String

  init() throws {
    folder = try TemporaryFolder()
    let log = folder.file("walk.nmea")
    try Data((0..<3000).flatMap { Array(Self.sentence(second: $0).utf8) })
      .write(to: URL(fileURLWithPath: log))
    source = "log://\(log)?rate=100"
  }

  private static func sentence(second: Int) -> String {
    func two(_ number: Int) -> String { (number < 10 ? "0" : "") + "\(number)" }
    let time = two(8 + second / 3600) + two(second / 60 % 60) + two(second % 60)
    let minutes = "\(3100_000 + second * 7 + second % 3)"
    let body =
      "GPRMC,\(time).00,A,52\(minutes.prefix(2)).\(minutes.dropFirst(2)),N,01324.0000,E"
      + ",2.50,1.0,050126,,,A"
    return String(decoding: NMEAWriter.sentence(body), as: UTF8.self)
  }

  private func start(limit: Int? = nil) throws -> RunningProgram {
    let words = ["record", source, file] + (limit.map { ["\($0)"] } ?? [])
    return try RunningProgram(BuiltProgram.path("HostProgram"), words)
  }

  private func replay() throws -> Replay.Summary {
    try Replay.run([UInt8](try Data(contentsOf: URL(fileURLWithPath: file))))
  }

  @Test("has every delivered fix when the process is killed, and continues with the next")
  func killed() async throws {
    let program = try start()
    _ = try await program.lines.next { $0 == "fix 300" }
    program.end(with: SIGKILL)
    let first = try replay()
    #expect(first.steps >= 300)
    #expect(first.sections == 1)
    // What a power cut might leave.
    let handle = try #require(FileHandle(forWritingAtPath: file))
    try handle.seekToEnd()
    try handle.write(contentsOf: Data([0x01, 0x80, 0x80]))
    try handle.close()
    #expect(try replay().torn == 3)
    let next = try start()
    _ = try await next.lines.next { $0 == "fix 10" }
    next.end(with: SIGKILL)
    let second = try replay()
    #expect(second.sections == 2)
    #expect(second.steps >= first.steps + 10)
    #expect(second.torn == 0)
  }

  @Test("says that the disk is full, and the host goes on")
  func full() async throws {
    let program = try start(limit: 2000)
    defer { program.end() }
    _ = try await program.lines.next { $0.hasPrefix("note: \(file): ") ? true : nil }
    _ = try await program.lines.next { $0 == "fix 400" }
    let summary = try replay()
    #expect(summary.torn == 0)
    #expect(summary.steps > 10)
  }

  @Test("leaves a file alone that is no recording, or that another process records into")
  func others() async throws {
    try Data("a diary\n".utf8).write(to: URL(fileURLWithPath: file))
    let program = try start()
    _ = try await program.lines.next { $0.hasPrefix("note: \(file): ") ? true : nil }
    program.end()
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "a diary\n")
    try FileManager.default.removeItem(atPath: file)
    let one = try start()
    defer { one.end() }
    _ = try await one.lines.next { $0 == "fix 3" }
    let other = try start()
    defer { other.end() }
    _ = try await other.lines.next { $0.contains("another process") ? true : nil }
    _ = try await other.lines.next { $0 == "fix 3" }
  }

  @Test("is for its owner only")
  func mode() async throws {
    let program = try start()
    defer { program.end() }
    _ = try await program.lines.next { $0 == "fix 1" }
    let attributes = try FileManager.default.attributesOfItem(atPath: file)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }
}
