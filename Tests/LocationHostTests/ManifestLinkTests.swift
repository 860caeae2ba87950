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
}
