import Foundation
import TestSupport
import LocationDaemon
import LocationEngine
import LocationService
import LocationHost
import LocationModel
import Testing

/// Policies and configurations count because of who can have written them.
@Suite("A file that decides something", .serialized)
struct OwnedFileTests {
  private let folder: TemporaryFolder
  private var file: String { folder.file("etc/policy") }

  init() throws {
    folder = try TemporaryFolder()
    try FileManager.default.createDirectory(
      atPath: folder.file("etc"), withIntermediateDirectories: true)
    chmod(folder.file("etc"), 0o755)
    try write("* always", to: file)
  }

  private func write(_ text: String, to path: String, mode: mode_t = 0o644) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    chmod(path, mode)
  }

  private func fault(_ path: String? = nil) -> String? {
    PolicyAgent.faults(in: path ?? file).first?.description
  }

  @Test(
    "border 4: is not believed when its group or everybody can write it, and says what mends it")
  func modes() throws {
    #expect(fault() == nil)
    chmod(file, 0o664)
    #expect(fault() == "\(file): \(file) can be written by its group: chmod go-w \(file)")
    chmod(file, 0o646)
    #expect(fault() == "\(file): \(file) can be written by everybody: chmod go-w \(file)")
  }

  @Test("border 4: is not believed in a folder where others can put another one")
  func parents() throws {
    for mode in [0o777, 0o775, 0o1777] as [mode_t] {
      chmod(folder.file("etc"), mode)
      #expect(fault()?.contains("\(folder.file("etc")) can be written by") == true)
      #expect(fault()?.hasSuffix("chmod go-w \(folder.file("etc"))") == true)
    }
    // The folder above: like in /tmp, others cannot change there what is not theirs.
    chmod(folder.file("etc"), 0o755)
    chmod(folder.path, 0o1777)
    #expect(fault() == nil)
    chmod(folder.path, 0o777)
    #expect(fault()?.contains("\(folder.path) can be written by everybody") == true)
  }

  @Test("border 4: may be a link, where the way to its end is as safe")
  func links() throws {
    let link = folder.file("etc/link")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "../etc/./policy")
    #expect(fault(link) == nil)
    chmod(folder.file("etc"), 0o777)
    #expect(fault(link)?.contains("can be written by everybody") == true)
    chmod(folder.file("etc"), 0o755)
    let open = folder.file("open")
    try FileManager.default.createDirectory(atPath: open, withIntermediateDirectories: true)
    chmod(open, 0o777)
    try FileManager.default.createSymbolicLink(atPath: open + "/link", withDestinationPath: file)
    #expect(fault(open + "/link")?.contains("\(open) can be written") == true)
    let loop = folder.file("etc/loop")
    try FileManager.default.createSymbolicLink(atPath: loop, withDestinationPath: loop)
    #expect(fault(loop)?.contains("cannot be read") == true)
  }

  @Test(
    "border 4: is not believed when it, its folder, or a link to it is another user's",
    .enabled(if: getuid() == 0, "only root can give files away"))
  func owners() throws {
    chown(file, 65534, 65534)
    #expect(fault() == "\(file): \(file) belongs to user 65534, and not to root: chown 0 \(file)")
    chown(file, 0, 0)
    chown(folder.file("etc"), 65534, 65534)
    #expect(fault()?.contains("\(folder.file("etc")) belongs to user 65534") == true)
    chown(folder.file("etc"), 0, 0)
    let link = folder.file("link")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file)
    lchown(link, 65534, 65534)
    #expect(fault(link)?.contains("\(link) belongs to user 65534") == true)
  }

  @Test(
    "border 4: is not believed below another user's folder, however that folder is spelled",
    .enabled(if: getuid() == 0, "only root can give files away"))
  func accents() throws {
    // For Swift, a slash before an accent is not a slash.
    let home = folder.file("\u{301}home")
    let inner = home + "/\u{301}etc"
    try FileManager.default.createDirectory(atPath: inner, withIntermediateDirectories: true)
    try write("* always", to: inner + "/\u{301}policy")
    #expect(fault(inner + "/\u{301}policy") == nil)
    chown(home, 65534, 65534)
    #expect(fault(inner + "/\u{301}policy")?.contains("belongs to user 65534") == true)
  }

  @Test("border 4: is read once and whole, and nothing but a plain file is read")
  func kinds() throws {
    let pipe = folder.file("etc/pipe")
    mkfifo(pipe, 0o644)
    #expect(fault(pipe) == "\(pipe): is no plain file")
    #expect(fault(folder.file("etc")) == "\(folder.file("etc")): is no plain file")
    try write(String(repeating: "#", count: 1 << 21), to: file)
    #expect(fault()?.contains("more than 1048576 bytes") == true)
  }

  @Test("border 4: a configuration is looked at in the same way")
  func configuration() throws {
    try write("clients = 7", to: file, mode: 0o666)
    let (read, faults) = Configuration.read(file: file)
    #expect(read.limits.room.clients != 7)
    #expect(faults.first?.description.contains("chmod go-w") == true)
  }
}

/// What a person is advised to paste.
@Suite("Advice for a shell")
struct AdviceTests {
  @Test(
    "border 5: reaches the command as one word, whatever an app is called",
    arguments: [
      "org.example.Walk", "a; rm -rf ~", "$(reboot)", "`reboot`", "it's", "-x", "--help", "a\\b",
      "*",
      "", "!!", "~root", "a b", "/opt/My App/app%40x", "=ls", "#a",
    ])
  func words(_ name: String) async throws {
    let kinds: [Prompt.Kind] = [.whenInUse, .upgrade, .temporaryAccuracy(purposeKey: "a")]
    for kind in kinds {
      let prompt = Prompt(
        id: Prompt.ID(app: AppIdentity(name), number: 1), kind: kind, appName: "", text: "",
        offersPrecise: true)
      let script =
        "locationctl() { for word; do printf '<%s>\\n' \"$word\"; done; echo end; }; \(prompt.command)"
      let shell = try RunningProgram("/bin/sh", ["-c", script])
      var words: [String] = []
      while words.last != "end" { words.append(try await shell.lines.next()) }
      words.removeLast()
      #expect(words.first == "<authorize>")
      #expect(words.count { $0 == "<\(name)>" } == 1)
      #expect(words.contains("<-->") == name.hasPrefix("-"))
      #expect(words.count == (name.hasPrefix("-") ? 4 : 3) + (kind == kinds[2] ? 1 : 0))
    }
  }
}
