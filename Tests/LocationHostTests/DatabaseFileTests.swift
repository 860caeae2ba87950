import Foundation
import Glibc
import LocationModel
import LocationProviders
import TestSupport
import Testing

@testable import LocationHost

@Suite("The file of a database of addresses")
struct DatabaseFileTests {
  private static let address: [UInt8] = [203, 0, 113, 7]

  private func answer(_ path: String) -> ChannelEvent {
    DatabaseFile.answer(to: GeoIPLookUp(path: path, addresses: [Self.address]))
  }

  @Test("RADIO-61: is read at each look-up, so that another one counts")
  func replaced() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("city.mmdb")
    for latitude in [51.5, 52.5] {
      var writer = MaxMindWriter()
      writer.add([203, 0, 113, 0], 24, MaxMindWriter.city(latitude, 13.4, kilometers: 20))
      try Data(writer.bytes).write(to: URL(filePath: path), options: .atomic)
      let entry = GeoIPEntry.place(latitude: latitude, longitude: 13.4, kilometers: 20)
      #expect(answer(path) == .places(.entries([entry])))
    }
  }

  @Test("RADIO-62: one that is not there is named")
  func missing() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("none.mmdb")
    guard case .closed(.missing(let reason)) = answer(path) else {
      Issue.record("\(answer(path))")
      return
    }
    #expect(reason.contains(path))
  }

  @Test("RADIO-62: a folder, a pipe, an empty file, and noise are no database, and nothing waits")
  func foreign() throws {
    let folder = try TemporaryFolder()
    let (pipe, empty, noise) = (folder.file("pipe"), folder.file("empty"), folder.file("noise"))
    #expect(mkfifo(pipe, 0o600) == 0)
    try Data().write(to: URL(filePath: empty))
    var random = SeededRandom(seed: 62)
    let bytes = (0..<100_000).map { _ in UInt8.random(in: 0...255, using: &random) }
    try Data(bytes).write(to: URL(filePath: noise))
    for path in [pipe, empty, noise, "/dev/zero"] {
      #expect(answer(path) == .places(.foreign), "\(path)")
    }
    guard case .closed = answer(folder.path) else {
      Issue.record("\(answer(folder.path))")
      return
    }
  }

  @Test("RADIO-62: one that is cut while it is read is damaged, and the process goes on")
  func cut() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("city.mmdb")
    var writer = MaxMindWriter()
    writer.add([203, 0, 113, 0], 24, MaxMindWriter.city(51.5, 13.4))
    try Data(writer.bytes).write(to: URL(filePath: path))
    let descriptor = open(path, O_RDWR)
    defer { close(descriptor) }
    let file = DatabaseFile(descriptor: descriptor, size: writer.bytes.count)
    #expect(file.bytes(at: 10, count: 5) == Array(writer.bytes[10..<15]))
    #expect(ftruncate(descriptor, 12) == 0)
    #expect(file.bytes(at: 10, count: 5) == nil)
    #expect(file.bytes(at: 0, count: 12)?.count == 12)
    #expect(file.bytes(at: -1, count: 2) == nil && file.bytes(at: 0, count: 1 << 30) == nil)
  }
}
