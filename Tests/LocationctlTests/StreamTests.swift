import Foundation
import TestSupport
import Testing

@testable import locationctl

/// What becomes of output that cannot be written, and of input that cannot be read.
@Suite("The standard streams of locationctl")
struct StreamTests {
  private func shell(_ line: String) throws -> Run {
    try Run(program: "/bin/sh", ["-c", line.replacing("CTL", with: Run.locationctl.path.quoted)])
  }

  @Test(
    "end it with 1 and the cause when its output cannot be written",
    arguments: [
      ("CTL help --man > /dev/full", "No space left on device"),
      ("CTL simulate 'City Run' --json > /dev/full", "No space left on device"),
      ("CTL help >&-", "Bad file descriptor"), ("CTL help 1</dev/null", "Bad file descriptor"),
    ])
  func unwritable(_ line: String, _ cause: String) throws {
    let run = try shell(line)
    #expect(run.status == 1)
    #expect(run.error == "locationctl: standard output: \(cause)\n")
  }

  @Test("say nothing of a reader who has seen enough")
  func goneReader() throws {
    let run = try shell(
      "trap '' PIPE; { CTL simulate 'City Run' --json; echo $? >&2; } | head -n 1")
    #expect(run.output.split(separator: "\n").count == 1)
    #expect(run.error == "1\n")
  }

  @Test("lose nothing where the reader is slow and the pipe does not wait")
  func slowReader() throws {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    let (reading, writing) = (ends[0], ends[1])
    defer { close(reading) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    try #require(fcntl(writing, F_SETFL, O_NONBLOCK) == 0)
    let text = String(repeating: "0123456789abcdef", count: 40_000)
    Thread.detachNewThread {
      _ = Output.fault(writing: Array(text.utf8), to: writing)
      close(writing)
    }
    let reader = FileHandle(fileDescriptor: reading, closeOnDealloc: false)
    #expect(try reader.read(upToCount: text.utf8.count) == Data(text.utf8))
  }

  @Test(
    "end fleet replay with 1 and the cause when they cannot be read",
    arguments: [("< /etc", "Is a directory"), ("<&-", "Bad file descriptor")])
  func unreadable(_ input: String, _ cause: String) throws {
    let run = try shell("CTL fleet replay \(input)")
    #expect(run.status == 1 && run.output.isEmpty)
    #expect(run.error == "locationctl: standard input: \(cause)\n")
  }
}

@Suite("Files that locationctl writes")
struct OutputFileTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func record() throws -> String {
    let file = folder.file("drive.rec")
    let run = try Run(["record", file, "--plain", "--source", "fixed:51.5,-0.25", "--count", "1"])
    try #require(run.status == 0, "\(run.error)")
    return file
  }

  @Test("are new for replay: a recording, and any other file, is never overwritten")
  func copies() throws {
    let file = try record()
    let bytes = try Data(contentsOf: URL(filePath: file))
    for option in ["--shift", "--plain"] {
      let same = try Run(["replay", file, option, file])
      #expect(same.status == 1 && same.error.contains("is there already\nNext: name another file"))
      #expect(try Data(contentsOf: URL(filePath: file)) == bytes)
    }
    let copy = folder.file("shared.rec")
    #expect(try Run(["replay", file, "--shift", copy]).status == 0)
    #expect(try Run(["replay", copy]).status == 0)
    let mode = try FileManager.default.attributesOfItem(atPath: copy)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    let nowhere = try Run(["replay", file, "--shift", folder.file("no/such.rec")])
    #expect(nowhere.status == 1 && nowhere.output.isEmpty)
    #expect(nowhere.error.contains("cannot be written: No such file or directory\nNext: "))
  }

  @Test("are removed where not all of one could be written, with the cause")
  func fault() throws {
    #expect(
      throws: Failure.refused(
        "“/dev/full” cannot be written: No space left on device",
        next: "make room, or name a file elsewhere")
    ) { try OutputFile.write([1], to: "/dev/full") }
  }

  @Test("of simulate --plot are tried before the run")
  func plot() throws {
    let run = try Run(["simulate", "City Run", "--plot", "/nope/x.svg"])
    #expect(run.status == 1 && run.output.isEmpty)
    #expect(
      run.error == """
        locationctl: “/nope/x.svg” cannot be written: No such file or directory
        Next: name a file in a folder that is there

        """)
    let folder = try Run(["simulate", "City Run", "--plot", "/tmp"])
    #expect(folder.status == 1 && folder.error.contains("Is a directory"))
  }

  @Test("as recordings show each step of a replay as JSON, and as text without names of types")
  func steps() throws {
    let file = try record()
    let steps = try Run(["replay", file, "--outputs", "--json"]).objects()
    #expect(steps.last?["type"] as? String == "replay")
    let inputs = steps.dropLast()
    #expect(inputs.allSatisfy { $0["type"] as? String == "step" && $0["date"] is String })
    #expect(inputs.contains { ($0["input"] as? [String: Any])?["fix"] != nil })
    let outputs = inputs.flatMap { $0["outputs"] as? [[String: Any]] ?? [] }
    #expect(outputs.contains { $0["demand"] != nil } && outputs.contains { $0["deliver"] != nil })
    let text = try Run(["replay", file, "--outputs"]).output
    #expect(text.contains("{\"demand\":{") && !text.contains("LocationModel"))
  }
}

extension String {
  fileprivate var quoted: String { "'\(self)'" }
}
