import Foundation
import LocationHost
import TestSupport
import Testing

@Suite("The programs of desktop entries")
struct DesktopProgramsTests {
  private func program(of identifier: String, _ entries: [String: String]) throws -> String? {
    let folder = try TemporaryFolder()
    for (name, text) in entries {
      let file = URL(fileURLWithPath: folder.file("\(name).desktop"))
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }
    let programs = DesktopPrograms([
      "XDG_DATA_HOME": folder.file("own"), "XDG_DATA_DIRS": "\(folder.file("all")):relative:",
    ])
    return programs.program(of: identifier)
  }

  private static let cat = URL(fileURLWithPath: "/bin/cat").resolvingSymlinksInPath().path

  @Test(
    "an identifier stands for the program of its own entry, and for no other",
    arguments: [
      ("boat", "Exec=/bin/cat %U", true), ("boat", "Exec=env A=b cat --x", true),
      ("boat", "Exec=\"/bin/cat\"", true), ("other", "Exec=/bin/cat", false),
      ("boat", "Exec=/nonexistent/cat", false), ("boat", "Exec=../bin/cat", false),
      ("boat", "Exec=\"/bin/cat", false), ("boat", "Name=Cat", false), ("", "Exec=/bin/cat", false),
      ("../applications/boat", "Exec=/bin/cat", false),
      ("boat", "Hidden=true\nExec=/bin/cat", false),
    ])
  func entries(_ identifier: String, _ line: String, _ isFound: Bool) throws {
    let found = try program(
      of: identifier, ["all/applications/boat": "[Desktop Entry]\n\(line)\n"])
    #expect(found == (isFound ? Self.cat : nil))
  }

  @Test("the person's own entry counts before the system's")
  func order() throws {
    let found = try program(
      of: "boat",
      [
        "own/applications/boat": "[Desktop Entry]\nExec=/bin/cat\n",
        "all/applications/boat": "[Desktop Entry]\nExec=/bin/ls\n",
      ])
    #expect(found == Self.cat)
  }
}
