import Dispatch
import Foundation
import TestSupport
import LocationDaemon
import LocationHost
import Testing

@Suite("The control group of a process", .timeLimit(.minutes(1)))
struct ControlGroupTests {
  @Test("is the one of version 2, among those of version 1")
  func path() {
    #expect(
      ControlGroup.path(in: "9:name=systemd:/\n1:cpu:/a\n0::/user.slice/app.scope\n")
        == "/user.slice/app.scope")
    #expect(ControlGroup.path(in: "9:name=systemd:/\n") == nil)
  }

  @Test("says among other things whether it is frozen")
  func events() {
    #expect(ControlGroup.isFrozen("populated 1\nfrozen 1\n"))
    #expect(!ControlGroup.isFrozen("populated 1\nfrozen 0\n"))
    #expect(!ControlGroup.isFrozen("populated 1\n"))
  }

  /// Where a test may make groups: only root may.
  private static let root = ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"].first {
    access("\($0)/cgroup.procs", W_OK) == 0
  }

  @Test(
    "MODEL-2: the kernel says that a process is stopped, and that it goes on",
    .enabled(if: root != nil, "needs root and version 2 of control groups"))
  func freezing() async throws {
    let group = try #require(Self.root) + "/meridian-\(UUID())"
    try FileManager.default.createDirectory(
      atPath: group, withIntermediateDirectories: false)
    let sleeper = try RunningProgram("/bin/sleep", ["60"])
    defer {
      sleeper.end()
      rmdir(group)
    }
    func write(_ text: String, to file: String) throws {
      try Data(text.utf8).write(to: URL(filePath: "\(group)/\(file)"))
    }
    try write("\(sleeper.pid)", to: "cgroup.procs")
    let found = try #require(ControlGroup(ofProcess: sleeper.pid))
    #expect(!found.isFrozen)
    let queue = DispatchQueue(label: "freezing")
    let (changes, continuation) = AsyncStream.makeStream(of: Void.self)
    let watch = FreezeWatch(on: queue) { continuation.yield() }
    #expect(!watch.follow(sleeper.pid, as: 7))
    var seen = changes.makeAsyncIterator()
    for isFrozen in [true, false] {
      try write(isFrozen ? "1" : "0", to: "cgroup.freeze")
      var delivered: [(number: Int, isFrozen: Bool)] = []
      while delivered.isEmpty, await seen.next() != nil { delivered = watch.changes() }
      #expect(delivered.map(\.number) == [7] && delivered.map(\.isFrozen) == [isFrozen])
      #expect(found.isFrozen == isFrozen)
    }
    try write("1", to: "cgroup.freeze")
    watch.leave(7)
    #expect(watch.changes().isEmpty)
    try write("0", to: "cgroup.freeze")
  }
}
