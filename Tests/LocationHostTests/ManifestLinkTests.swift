import Foundation
import LocationHost
import LocationModel
import TestSupport
import Testing

@Suite("The property list of a program")
struct ManifestLinkTests {
  private static let list = """
    <?xml version="1.0" encoding="UTF-8"?>
    <plist version="1.0"><dict><key>CFBundleIdentifier</key><string>org.example.Hidden</string></dict>
    </plist>
    """

  @Test("border 11: is not read by a daemon through a link, which may lead where only it may read")
  func links() throws {
    let folder = try TemporaryFolder()
    let place = URL(fileURLWithPath: folder.path).resolvingSymlinksInPath().path
    let hidden = place + "/hidden.plist"
    try Data(Self.list.utf8).write(to: URL(fileURLWithPath: hidden))
    let (path, list) = (place + "/app", place + "/app.plist")
    symlink(hidden, list)
    let daemons = ManifestReader(followsLinks: false)
    #expect(daemons.read(ofExecutable: path).manifest.identifier == nil)
    #expect(daemons.read(ofExecutable: path).fault?.contains("is a link") == true)
    #expect(ManifestReader().read(ofExecutable: path).manifest.identifier == "org.example.Hidden")
    unlink(list)
    try Data(Self.list.utf8).write(to: URL(fileURLWithPath: list))
    #expect(daemons.read(ofExecutable: path).manifest.identifier == "org.example.Hidden")
  }

  @Test("border 11: says of every list that is not read why, and of none that is not there")
  func silence() throws {
    let folder = try TemporaryFolder()
    let place = URL(fileURLWithPath: folder.path).resolvingSymlinksInPath().path
    let (path, list) = (place + "/app", place + "/app.plist")
    func fault(followsLinks: Bool = false, _ put: () throws -> Void) rethrows -> String? {
      try put()
      defer { remove(list) }
      return ManifestReader(followsLinks: followsLinks).read(ofExecutable: path).fault
    }
    #expect(fault {} == nil)
    let limit = 1 << 20
    let long = try fault { try Data(count: limit + 1).write(to: URL(fileURLWithPath: list)) }
    #expect(long == "\(list) is not read: it has more than \(limit) bytes")
    let empty = try fault { try Data().write(to: URL(fileURLWithPath: list)) }
    #expect(empty == "\(list) is not read: it is empty")
    #expect(fault { mkfifo(list, 0o644) } == "\(list) is no plain file, and not read for that")
    #expect(fault { mkdir(list, 0o755) } == "\(list) is no plain file, and not read for that")
    func lead() { symlink("/proc/self/environ", list) }
    #expect(fault(lead) == "\(list) is a link, and not read for that")
    #expect(fault(followsLinks: true, lead) == "\(list) leads to no file that can be read")
  }
}
