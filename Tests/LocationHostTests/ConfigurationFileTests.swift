import Foundation
import TestSupport
import LocationDaemon
import LocationEngine
import LocationFleet
import LocationHost
import LocationModel
import Testing

@Suite("The configuration file of a daemon")
struct ConfigurationFileTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func write(_ path: String) throws -> String {
    let file = URL(fileURLWithPath: folder.file(path))
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data("clients = 7\n".utf8).write(to: file)
    return file.path
  }

  @Test("of a user lies with the user's; the system's is never read for it")
  func user() throws {
    let options = try DaemonOptions([], isRoot: false)
    let home = ["HOME": folder.path]
    #expect(options.configurationFile(home) == nil)
    let own = try write(".config/meridian/locationd.conf")
    #expect(options.configurationFile(home) == own)
    #expect(try options.configuration(home).limits.room.clients == 7)
    let other = home.merging(["XDG_CONFIG_HOME": folder.file("elsewhere")]) { $1 }
    #expect(options.configurationFile(other) == nil)
    let moved = try write("elsewhere/meridian/locationd.conf")
    #expect(options.configurationFile(other) == moved)
  }

  @Test("a path alone, at the daemon of a system, names the program of the daemon's own user")
  func ownUser() throws {
    func facts(_ words: [String]) throws -> DaemonFacts {
      DaemonFacts(
        folder: StateFolder(path: folder.path), options: try DaemonOptions(words, isRoot: false),
        variables: [:])
    }
    let (system, own) = (try facts(["--system"]), try facts([]))
    let app = AppIdentity(path: "/usr/bin/map")
    #expect(system.namesOwnUser(app, runningAs: 990)?.contains("/usr/bin/map@0 for root") == true)
    #expect(system.namesOwnUser(AppIdentity(path: "/usr/bin/map", user: 0), runningAs: 990) == nil)
    #expect(system.namesOwnUser(AppIdentity("org.example.map"), runningAs: 990) == nil)
    #expect(system.namesOwnUser(app, runningAs: 0) == nil)
    #expect(own.namesOwnUser(app, runningAs: 990) == nil)
  }

  @Test("SETUP-14: a key that is set twice, and a NUL byte, are faults with their lines")
  func twice() {
    let text = "in-use = assumed\nin-use = observed\nstate = /a\0b\nclients = 7\n# \0\n"
    let faults = Configuration.read(text, file: "f").faults
    #expect(
      faults.map(\.description) == [
        "f:2: `in-use` is set already, on a line above", "f:3: has a NUL byte",
        "f:5: has a NUL byte",
      ])
    let repeated = "source = fixed:1,2\nsource = fixed:3,4\nagent = none\nagent = none\n"
    #expect(Configuration.read(repeated, file: "f").faults.isEmpty)
  }

  @Test("is not read for the version, which the daemon says as locationctl does")
  func version() throws {
    #expect(try DaemonOptions(["--version"]).task == .version)
    #expect(DaemonOptions.version == "locationd \(Release.version)")
  }

  @Test("SERVE-1: no port is served unless one is named")
  func gpsdPort() {
    func read(_ text: String) -> (port: Int?, faults: Int) {
      let (configuration, faults) = Configuration.read(text, file: "locationd.conf")
      return (configuration.gpsdPort, faults.count)
    }
    #expect(read("") == (nil, 0))
    #expect(read("gpsd-port = no") == (nil, 0))
    #expect(read("gpsd-port = 2947") == (2947, 0))
    for wrong in ["yes", "0", "65536", "localhost:2947"] {
      #expect(read("gpsd-port = \(wrong)") == (nil, 1), "\(wrong)")
    }
  }

  private static let uplink = [
    "uplink": "https://ingress.example.org:8443/", "uplink-device": "van-7",
    "uplink-password-file": "/etc/meridian/uplink.password", "uplink-accuracy": "full",
  ]

  private func uplink(
    _ changes: [String: String?]
  ) -> (uplink: UplinkSettings?, fault: String?) {
    var values = Self.uplink
    for (key, value) in changes { values[key] = value }
    let text = values.map { "\($0) = \($1)\n" }.joined()
    let (configuration, faults) = Configuration.read(text, file: "locationd.conf")
    return (configuration.uplink, faults.first?.description)
  }

  @Test("UPLINK-1: nothing is sent unless the owner has named ingress, device, proof, and accuracy")
  func uplinkKeys() {
    #expect(Configuration.read("", file: "locationd.conf").configuration.uplink == nil)
    let read = uplink([:]).uplink
    #expect(read?.server.url == "https://ingress.example.org:8443" && read?.user == "van-7")
    #expect(read?.isPrecise == true && read?.interval == .seconds(10))
    #expect(read?.app == AppIdentity("uplink:ingress.example.org:8443"))
    for key in Self.uplink.keys.sorted() {
      let found = uplink([key: nil])
      #expect(found.uplink == nil && found.fault?.contains("`\(key)`") == true, "\(found)")
    }
    let certified = uplink([
      "uplink-password-file": nil, "uplink-certificate": "/a.pem", "uplink-key": "/k.pem",
      "uplink-accuracy": "reduced", "uplink-tenant": "acme", "uplink-interval": "60",
    ]).uplink
    #expect(certified?.proof == .certificate("/a.pem", key: "/k.pem"))
    #expect(certified?.isPrecise == false && certified?.name.tenant == "acme")
  }

  @Test(
    "UPLINK-1, UPLINK-12: an address without TLS that is not this computer, and values that are none, are faults",
    arguments: [
      ("uplink", "http://ingress.example.org"), ("uplink", "ingress.example.org"),
      ("uplink", "https://user:secret@ingress.example.org"), ("uplink-accuracy", "best"),
      ("uplink", "https://ingress.example.org:"), ("uplink", "https://ingress.example.org:0"),
      ("uplink", "https://ingress.example.org/?all"), ("uplink", "https://ingress example.org"),
      ("uplink-interval", "-1"), ("uplink-interval", "often"), ("uplink-key", "key.pem"),
      ("uplink-certificate", "/both.pem"), ("uplink-device", String(repeating: "x", count: 65)),
    ])
  func uplinkFaults(_ key: String, _ value: String) {
    let found = uplink([key: value])
    #expect(found.uplink == nil && found.fault != nil, "\(found)")
    #expect(found.fault?.contains("secret") != true)
  }

  @Test("UPLINK-12: a password that others can read is refused, and never printed")
  func uplinkPassword() throws {
    let file = folder.file("password")
    try Data("s3cret-of-the-van\n".utf8).write(to: URL(fileURLWithPath: file))
    let settings = try #require(uplink(["uplink-password-file": file]).uplink)
    for mode: mode_t in [0o644, 0o640, 0o604] {
      chmod(file, mode)
      let fault = #expect(throws: UplinkFault.self) { try settings.request() }
      #expect(fault?.reason.contains("chmod 600") == true)
    }
    chmod(file, 0o600)
    let request = try settings.request()
    #expect(request.credentials == .password(user: "van-7", "s3cret-of-the-van"))
    #expect(!"\(request)".contains("s3cret") && !String(reflecting: request).contains("s3cret"))
    try Data("two\nlines\n".utf8).write(to: URL(fileURLWithPath: file))
    #expect(throws: UplinkFault.self) { try settings.request() }
  }

  @Test("UPLINK-12: an authority that others can change is none")
  func uplinkAuthority() throws {
    let (file, password) = (folder.file("authority"), folder.file("password"))
    for path in [file, password] {
      try Data("text\n".utf8).write(to: URL(fileURLWithPath: path))
      chmod(path, 0o600)
    }
    let settings = try #require(
      uplink(["uplink-password-file": password, "uplink-authority": file]).uplink)
    #expect(try settings.request().authorities == file)
    chmod(file, 0o622)
    let fault = #expect(throws: UplinkFault.self) { try settings.request() }
    #expect(fault?.reason.contains("chmod go-w") == true)
  }

  @Test("border 12: property lists of 256 programs are cached")
  func lists() throws {
    let reader = ManifestReader()
    let list = Data("<plist><dict/></plist>".utf8)
    for number in 0...ManifestReader.kept {
      let program = folder.file("program\(number)")
      try list.write(to: URL(fileURLWithPath: program + ".plist"))
      #expect(reader.read(ofExecutable: program).fault == nil)
    }
    #expect(reader.count == ManifestReader.kept)
  }

  @Test("AUTH-52: an app's texts are read in the person's language, and again when they change")
  func languages() throws {
    func write(_ name: String, _ text: String) throws {
      let file = URL(fileURLWithPath: folder.file(name))
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }
    let key = "NSLocationWhenInUseUsageDescription"
    try write("walk.plist", "<plist><dict><key>\(key)</key><string>own</string></dict></plist>")
    let german = ManifestReader(languages: ["de_AT", "de-AT", "de"])
    func text(_ reader: ManifestReader) -> String? {
      reader.read(ofExecutable: folder.file("walk")).manifest.whenInUseUsage
    }
    #expect(text(german) == "own")
    try write("de.lproj/InfoPlist.strings", "\"\(key)\" = \"deutsch\";")
    #expect(text(german) == "deutsch" && text(ManifestReader(languages: ["fr"])) == "own")
    try write("de-AT.lproj/InfoPlist.strings", "\"\(key)\" = \"so in Wien\";")
    #expect(text(german) == "so in Wien")
    try write("de-AT.lproj/InfoPlist.strings", "\"\(key)\" = ")
    let broken = german.read(ofExecutable: folder.file("walk"))
    #expect(broken.manifest.whenInUseUsage == "own")
    #expect(
      broken.textsFault?.contains("de-AT.lproj/InfoPlist.strings is not read: line 1") == true)
  }

  @Test(
    "AUTH-52: a person's languages are those of the locale",
    arguments: [
      (["LANG": "de_AT.UTF-8"], ["de_AT", "de-AT", "de"]),
      (["LANG": "de_DE.UTF-8", "LC_ALL": "C.UTF-8"], []), ([:], []), (["LANG": "POSIX"], []),
      (
        ["LANG": "fr_FR", "LANGUAGE": "pt-BR:fr"], ["pt_BR", "pt-BR", "pt", "fr", "fr_FR", "fr-FR"]
      ),
      (["LANG": "../../x"], []),
    ])
  func locale(variables: [String: String], languages: [String]) {
    #expect(HostEnvironment(variables).languages == languages)
  }

  @Test("AUTH-3, STD-53, LIFE-4: withholds from apps what it names, and refuses what is no app")
  func policies() throws {
    func read(_ lines: String) -> (configuration: Configuration, faults: [Configuration.Fault]) {
      Configuration.read(lines, file: "f")
    }
    let (configuration, faults) = read(
      "restrict = a.b\nrestrict = /opt/c@7\nno-background-refresh = a.d\nhonor-force-quit = yes\n"
        + "pause-needs-restart = yes\nsignificant-change-heartbeat = 15m\nremind-after = 3d\n")
    #expect(faults.isEmpty)
    #expect(
      configuration.settings == [
        .restricted(AppIdentity("a.b"), true), .restricted(AppIdentity("/opt/c@7"), true),
        .backgroundRefresh(AppIdentity("a.d"), false), .honorsQuit(true),
        .pauseNeedsRestart(true), .heartbeat(.seconds(900)), .remindAfter(days: 3),
      ])
    #expect(
      read("").configuration.settings == [
        .honorsQuit(false), .pauseNeedsRestart(false), .heartbeat(nil), .remindAfter(days: nil),
      ])
    #expect(!read("").configuration.awaitsUnlock)
    #expect(read("before-first-unlock = wait").configuration.awaitsUnlock)
    #expect(!read("before-first-unlock = launch").configuration.awaitsUnlock)
    for line in [
      "restrict = a b", "restrict = a.b=/opt/b", "no-background-refresh = ../x",
      "honor-force-quit = perhaps", "pause-needs-restart = 1", "remind-after = 12h",
      "significant-change-heartbeat = 1m", "before-first-unlock = no",
    ] {
      #expect(read(line).faults.count == 1, "\(line)")
    }
  }

  @Test(
    "border 12: of 1,025 apps of one key has a fault",
    arguments: ["restrict", "no-background-refresh"])
  func apps(key: String) {
    for count in [Configuration.mostApps, Configuration.mostApps + 1] {
      let lines = (0..<count).map { "\(key) = a.b\($0)\n" }.joined()
      let faults = Configuration.read(lines, file: "f").faults
      #expect(faults.count == count - Configuration.mostApps)
    }
  }

  @Test("border 12: of 33 programs of one role has a fault")
  func programs() throws {
    let file = folder.file("locationd.conf")
    for key in ["agent-program", "owner-program"] {
      for count in [Configuration.mostPrograms, Configuration.mostPrograms + 1] {
        let lines = (0..<count).map { "\(key) = /opt/program\($0)\n" }.joined()
        try Data(lines.utf8).write(to: URL(fileURLWithPath: file))
        var reason: String?
        do throws(DaemonFault) {
          _ = try DaemonOptions(["--config", file]).configuration([:])
        } catch { reason = error.reason }
        let isRefused = reason?.contains("`\(key)` names more than 32") == true
        #expect(isRefused == (count > Configuration.mostPrograms))
      }
    }
  }

  @Test("of the system is not taken from a user's folder, whoever runs it")
  func system() throws {
    let own = try write(".config/meridian/locationd.conf")
    for (arguments, isRoot) in [(["--system"], false), ([], true)] {
      let options = try DaemonOptions(arguments, isRoot: isRoot)
      #expect(options.configurationFile(["HOME": folder.path]) != own)
    }
  }

  @Test("is the one that is named, for either")
  func named() throws {
    for isRoot in [true, false] {
      let options = try DaemonOptions(["--config", "/a/file"], isRoot: isRoot)
      #expect(options.configurationFile([:]) == "/a/file")
    }
  }
}
