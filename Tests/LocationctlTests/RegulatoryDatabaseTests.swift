import Foundation
import LocationHost
import Testing

@testable import locationctl

@Suite("The rules of all countries")
struct RegulatoryDatabaseTests {
  @Test(
    "RADIO-91: they are found where the kernel looks for them, also compressed",
    arguments: ["regulatory.db", "regulatory.db.zst", "updates/regulatory.db"])
  func places(name: String) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    #expect(!RegulatoryDatabase.isInstalled(in: folder.path))
    try Data().write(to: file)
    #expect(RegulatoryDatabase.isInstalled(in: folder.path))
  }
}
