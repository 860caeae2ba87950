import Foundation
import Glibc
import LocationProviders
import TestSupport
import Testing

@testable import LocationHost

@Suite("A file that is read beside the bus")
struct FileContentsTests {
  @Test("RADIO-86: is read whole, and of a longer one a byte more than is wanted")
  func contents() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("xtra3grc.bin")
    let bytes = (0..<1000).map { UInt8($0 % 251) }
    try Data(bytes).write(to: URL(filePath: path))
    #expect(FileContents.read(path, most: 1000) == .contents(bytes))
    #expect(FileContents.read(path, most: 10) == .contents(Array(bytes.prefix(11))))
    try Data().write(to: URL(filePath: path))
    #expect(FileContents.read(path, most: 10) == .contents([]))
  }

  @Test("RADIO-87: one that is missing is named; a folder, a pipe, and a device are none")
  func faults() throws {
    let folder = try TemporaryFolder()
    let (none, pipe) = (folder.file("none"), folder.file("pipe"))
    #expect(mkfifo(pipe, 0o600) == 0)
    guard case .closed(.missing(let reason)) = FileContents.read(none, most: 10) else {
      Issue.record("\(FileContents.read(none, most: 10))")
      return
    }
    #expect(reason.contains(none))
    for path in [pipe, folder.path, "/dev/zero"] {
      guard case .closed = FileContents.read(path, most: 10) else {
        Issue.record("\(path)")
        continue
      }
    }
  }
}
