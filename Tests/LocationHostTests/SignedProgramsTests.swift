import Foundation
import LocationDaemon
import TestSupport
import Testing

@Suite(
  "The publisher of a program",
  .enabled(if: Minisign.isInstalled, "no minisign (Debian's package)"))
struct SignedProgramsTests {
  private static let app = "org.example.Boat"
  private let folder: TemporaryFolder
  private let programs = SignedPrograms()
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    chmod(folder.path, 0o755)
    path = folder.file("boat")
    // More than one piece, so that the hash of all of them counts.
    try write(Data(repeating: 7, count: 3 << 20), to: path)
  }

  private func write(_ data: Data, to path: String) throws {
    try data.write(to: URL(fileURLWithPath: path))
  }

  private func publisher(_ identifier: String = app) -> String? {
    programs.publisher(of: path, declaring: identifier, user: getuid())
  }

  @Test("is the one whose key has signed the program and its identifier, whatever its version")
  func found() throws {
    #expect(publisher() == nil)
    let boats = try Minisign(in: folder, named: "boats")
    try boats.sign(path, as: Self.app)
    let first = try #require(publisher())
    #expect(first.hasPrefix("minisign:RW"))
    #expect(publisher("org.example.Other") == nil, "the identifier is signed, too")
    #expect(publisher("org.example.Boa") == nil)
    try write(Data("version 2".utf8), to: path)
    #expect(publisher() == nil, "the program is another one")
    try boats.sign(path, as: Self.app)
    #expect(publisher() == first)
    let others = try Minisign(in: folder, named: "others")
    try others.sign(path, as: Self.app)
    let other = try #require(publisher())
    #expect(other != first)
  }

  @Test("is nobody when a byte of the program, the signature, or the key is another one")
  func damaged() throws {
    try Minisign(in: folder, named: "boats").sign(path, as: Self.app)
    let known = try #require(publisher())
    for file in [path, path + ".minisig", path + ".pub"] {
      let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
      // Of a text, the first line and the names of the fields are not signed.
      let places =
        file == path
        ? [0, bytes.count / 2, bytes.count - 1]
        : bytes.indices.filter { bytes[..<$0].contains(UInt8(ascii: "\n")) }
      for place in places where bytes[place] != UInt8(ascii: "\n") {
        var changed = bytes
        changed[place] = changed[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
        try write(changed, to: file)
        #expect(publisher() == nil, "\(file) at \(place)")
      }
      for length in [0, 1, bytes.count / 2] {
        try write(bytes.prefix(length), to: file)
        #expect(publisher() == nil, "\(length) bytes of \(file)")
      }
      try write(bytes, to: file)
    }
    #expect(publisher() == known)
  }

  @Test("is nobody where other users could have written the program")
  func writable() throws {
    try Minisign(in: folder, named: "boats").sign(path, as: Self.app)
    chmod(path, 0o777)
    #expect(publisher() == nil)
    chmod(path, 0o755)
    #expect(publisher() != nil)
  }

  @Test("border 12: those of 256 programs are cached")
  func bounded() throws {
    try Minisign(in: folder, named: "boats").sign(path, as: Self.app)
    for number in 0...SignedPrograms.kept { #expect(publisher("org.example.n\(number)") == nil) }
    #expect(programs.count == SignedPrograms.kept)
  }
}
