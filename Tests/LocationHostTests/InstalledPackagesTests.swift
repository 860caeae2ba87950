import Foundation
import LocationDaemon
import LocationHost
import LocationModel
import TestSupport
import Testing

@Suite("The package of a program")
struct InstalledPackagesTests {
  private let folder: TemporaryFolder
  private let packages: InstalledPackages

  init() throws {
    folder = try TemporaryFolder()
    chmod(folder.path, 0o755)
    try FileManager.default.createDirectory(
      atPath: folder.file("info"), withIntermediateDirectories: true)
    try StateFolder(path: folder.file("state")).create()
    packages = InstalledPackages(folder: folder.file("info"), owners: [0, getuid()])
  }

  /// Makes a program, and a list of a package's files.
  private func install(_ name: String, listing files: [String]) throws {
    try Data(("/.\n" + files.joined(separator: "\n") + "\n").utf8).write(
      to: URL(fileURLWithPath: folder.file("info/\(name).list")))
  }

  private func program(_ name: String) throws -> String {
    let path = folder.file(name)
    try Data("program".utf8).write(to: URL(fileURLWithPath: path))
    return path
  }

  @Test("is the one whose list has its path, without its architecture")
  func found() throws {
    let boat = try program("boat")
    let boats = try program("boats")
    try install("anchor", listing: [boats + "s", "/usr/bin/anchor"])
    try install("boat:amd64", listing: ["/usr/share/doc/boat", boat])
    #expect(packages.package(of: boat) == "dpkg:boat")
    #expect(packages.package(of: boats) == nil, "a part of a line is no path")
    #expect(packages.package(of: folder.file("none")) == nil)
  }

  @Test("is looked for again when the lists or the program have changed")
  func changes() throws {
    let boat = try program("boat")
    #expect(packages.package(of: boat) == nil)
    try install("boat", listing: [boat])
    #expect(packages.package(of: boat) == "dpkg:boat")
    try FileManager.default.removeItem(atPath: folder.file("info/boat.list"))
    #expect(packages.package(of: boat) == nil)
  }

  @Test("is none where others could have written the program, the list, or the folder")
  func writable() throws {
    let boat = try program("boat")
    try install("boat", listing: [boat])
    for path in [boat, folder.file("info/boat.list"), folder.file("info")] {
      var status = stat()
      #expect(stat(path, &status) == 0)
      chmod(path, 0o777)
      #expect(packages.package(of: boat) == nil, "\(path)")
      chmod(path, status.st_mode & 0o777)
    }
    #expect(packages.package(of: boat) == "dpkg:boat")
  }

  @Test("border 12: those of 256 programs are cached")
  func bounded() throws {
    for number in 0...InstalledPackages.kept {
      #expect(packages.package(of: try program("program\(number)")) == nil)
    }
    #expect(packages.count == InstalledPackages.kept)
  }

  // MARK: What follows

  private static let app = AppIdentity("org.example.Boat")

  private func claim(
    _ keeper: StateKeeper, _ program: String, _ package: String? = nil
  ) -> Claim {
    keeper.claim(Self.app, by: Claimant(program: program, package: package)) { _ in }
  }

  @Test("lets its identifier pass to a program at another path of the same package, and no other")
  func passes() throws {
    do {
      let keeper = StateKeeper(folder: StateFolder(path: folder.file("state"))) {
        Issue.record("\($0)")
      }
      #expect(claim(keeper, "/opt/boat/1/boat", "dpkg:boat") == .held)
      #expect(claim(keeper, "/opt/boat/1/boat", "dpkg:boat") == .held)
      for (program, package) in [
        ("/srv/a/boat", nil), ("/opt/other/boat", "dpkg:other"), ("/opt/boat/2/boat", nil),
      ] {
        #expect(claim(keeper, program, package) == .refused)
      }
      #expect(
        claim(keeper, "/opt/boat/2/boat", "dpkg:boat") == .passed(program: "/opt/boat/1/boat"))
      #expect(StateKeeper.program(of: Self.app, in: keeper.entries) == "/opt/boat/2/boat")
    }
    // The state is locked while the first one has it.
    let next = StateKeeper(folder: StateFolder(path: folder.file("state")))
    #expect(claim(next, "/opt/boat/3/boat", "dpkg:boat") == .passed(program: "/opt/boat/2/boat"))
  }

  @Test("is learned when the program of the identifier becomes part of one, and forgotten after")
  func learned() throws {
    let keeper = StateKeeper(folder: StateFolder(path: folder.file("state")))
    #expect(claim(keeper, "/opt/boat/boat") == .held)
    #expect(claim(keeper, "/opt/boat/2/boat", "dpkg:boat") == .refused)
    #expect(claim(keeper, "/opt/boat/boat", "dpkg:boat") == .held)
    #expect(claim(keeper, "/opt/boat/boat") == .held)
    #expect(claim(keeper, "/opt/boat/2/boat", "dpkg:boat") == .refused, "it is in none any more")
    #expect(claim(keeper, "/opt/boat/boat", "dpkg:boat") == .held)
    #expect(try keeper.reassign(Self.app, to: "/srv/a/boat") == "/opt/boat/boat")
    #expect(claim(keeper, "/opt/boat/2/boat", "dpkg:boat") == .refused, "the owner has decided")
  }

  @Test("gives nobody the name that differs in upper and lower case only")
  func folded() throws {
    let keeper = StateKeeper(folder: StateFolder(path: folder.file("state")))
    #expect(claim(keeper, "/opt/boat/1/boat", "dpkg:boat") == .held)
    let variant = keeper.claim(
      AppIdentity("org.example.boat"),
      by: Claimant(program: "/opt/boat/2/boat", package: "dpkg:boat")
    ) { _ in }
    #expect(variant == .refused)
  }
}
