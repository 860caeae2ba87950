import Foundation
import Glibc
import LocationHost
import LocationProviders
import TestSupport
import Testing

@testable import locationctl

@Suite("What setup finds and writes", .serialized)
struct SetupTests {
  /// A folder that stands for `/`, with one serial port.
  private func machine(port: String) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    for path in [
      "dev", "etc", "sys/class/net/wlan0/phy80211", "sys/class/net/eth0",
      "sys/class/bluetooth/hci0",
      "sys/bus/iio/devices/iio:device0", "sys/bus/iio/devices/trigger0",
      "sys/class/usbmisc/cdc-wdm0", "var/lib/GeoIP/GeoLite2-City.mmdb",
      "usr/share/GeoIP/GeoLite2-Country.mmdb", "usr/share/GeoIP/dbip-city-lite.mmdb",
    ] {
      try FileManager.default.createDirectory(
        atPath: folder.file(path), withIntermediateDirectories: true)
    }
    try FileManager.default.createSymbolicLink(
      atPath: folder.file("dev/ttyUSB0"), withDestinationPath: port)
    return folder
  }

  @Test("SETUP-3: the rate of a receiver is found", arguments: [(9600, B9600), (4800, B4800)])
  func rate(baud: Int, speed: Int32) throws {
    let terminal = try Terminal()
    let receiver = Receiver { bytes in
      // At another speed, a port hears noise.
      terminal.write(terminal.speed == speed_t(speed) ? bytes : bytes.map { $0 | 0x80 })
    }
    let folder = try machine(port: terminal.path)
    let root = folder.path
    let parts = MachineProbe(root: root, gpsd: nil).parts()
    #expect(parts.ports == [.init(path: root + "/dev/ttyUSB0", baud: baud)])
    #expect(parts.wifi == ["wlan0"])
    #expect(parts.bluetooth == ["hci0"])
    #expect(parts.sensors == ["iio:device0"])
    #expect(parts.modems == ["cdc-wdm0"])
    #expect(
      parts.databases == [
        "/usr/share/GeoIP/dbip-city-lite.mmdb", "/var/lib/GeoIP/GeoLite2-City.mmdb",
      ])
    withExtendedLifetime(receiver) {}
  }

  @Test("SETUP-7: sockets that are served are found, once each, and their receivers left alone")
  func sockets() throws {
    let terminal = try Terminal()
    let folder = try machine(port: terminal.path)
    for path in ["run", "etc/geoclue/conf.d"] {
      try FileManager.default.createDirectory(
        atPath: folder.file(path), withIntermediateDirectories: true)
    }
    try "[network-nmea]\nnmea-socket=/var/run/gnss-share.sock\n".write(
      toFile: folder.file("etc/geoclue/geoclue.conf"), atomically: true, encoding: .utf8)
    try "[network-nmea]\nnmea-socket=/run/other.sock\n".write(
      toFile: folder.file("etc/geoclue/conf.d/90-own.conf"), atomically: true, encoding: .utf8)
    close(try DaemonSocket.listen(at: folder.file("run/other.sock")))
    let probe = MachineProbe(root: folder.path, gpsd: nil, timeout: .milliseconds(1))
    #expect(probe.parts().sockets == [], "nobody serves them")
    let served = try ["gnss-share", "other"].map { try Server(at: folder.file("run/\($0).sock")) }
    let parts = probe.parts()
    #expect(parts.sockets == ["/run/gnss-share.sock", "/run/other.sock"])
    #expect(parts.ports.isEmpty)
    withExtendedLifetime(served) {}
  }

  @Test("SETUP-2: a port from which nothing comes has no rate")
  func silent() throws {
    let terminal = try Terminal()
    let folder = try machine(port: terminal.path)
    let probe = MachineProbe(gpsd: nil, timeout: .milliseconds(1))
    #expect(probe.baud(of: folder.file("dev/ttyUSB0")) == nil)
  }

  @Test("SETUP-4: what was there is kept, and put back; a file of somebody else is not removed")
  func undone() throws {
    let folder = try TemporaryFolder()
    let file = SetupFile(path: folder.file("locationd.conf"))
    try "source = gpsd://localhost\n".write(toFile: file.path, atomically: true, encoding: .utf8)
    #expect(try !file.remove())
    let text = SetupPlan(for: MachineParts()).configuration()
    let kept = file.path + ".before-setup"
    #expect(try file.write(text) == kept)
    #expect(try file.write(text) == nil, "its own file is replaced")
    #expect(try String(contentsOfFile: file.path, encoding: .utf8) == text)
    #expect(try file.remove())
    #expect(
      try String(contentsOfFile: file.path, encoding: .utf8) == "source = gpsd://localhost\n")
    #expect(!FileManager.default.fileExists(atPath: kept))
  }

  @Test("SETUP-4: each that was there is kept under a number of its own; the last is put back")
  func undoneAgain() throws {
    let folder = try TemporaryFolder()
    let file = SetupFile(path: folder.file("locationd.conf"))
    let kept = file.path + ".before-setup"
    let text = SetupPlan(for: MachineParts()).configuration()
    func read(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }
    for (number, copy) in [(1, kept), (2, kept + "-2"), (3, kept + "-3")] {
      try "# \(number)\n".write(toFile: file.path, atomically: true, encoding: .utf8)
      #expect(try file.write(text) == copy)
    }
    // A number that is free again is not that of the last.
    try FileManager.default.removeItem(atPath: kept + "-2")
    #expect(try file.remove())
    #expect(try read(file.path) == "# 3\n")
    #expect(try read(kept) == "# 1\n")
    #expect(try file.write(text) == kept + "-2")
    try "# 99\n".write(toFile: kept + "-99", atomically: true, encoding: .utf8)
    try "# more\n".write(toFile: file.path, atomically: true, encoding: .utf8)
    #expect(throws: Errno(code: EEXIST, call: "keep \(kept)-99")) { try file.write(text) }
    #expect(try read(file.path) == "# more\n")
  }

  @Test("SETUP-4: what was edited is kept under a number of its own, also when it is removed")
  func edited() throws {
    let folder = try TemporaryFolder()
    let file = SetupFile(path: folder.file("locationd.conf"))
    let text = SetupPlan(for: MachineParts()).configuration()
    #expect(try file.write(text) == nil)
    let first = text + "source = ichnaea:https://example.org\n"
    try first.write(toFile: file.path, atomically: true, encoding: .utf8)
    #expect(file.sources == ["ichnaea:https://example.org"])
    #expect(try file.write(text) == file.path + ".edited-1")
    let second = text + "source = gpsd://example.org\n"
    try second.write(toFile: file.path, atomically: true, encoding: .utf8)
    var kept: [String] = []
    #expect(try file.remove { kept.append($0) })
    #expect(kept == [file.path + ".edited-2"])
    #expect(!FileManager.default.fileExists(atPath: file.path))
    for (number, text) in [(1, first), (2, second)] {
      let copy = try String(contentsOfFile: "\(file.path).edited-\(number)", encoding: .utf8)
      #expect(copy == text)
    }
  }

  @Test("SETUP-4: without a terminal, a source, or its folder, setup fails and writes nothing")
  func refused() throws {
    let folder = try TemporaryFolder()
    let bare = try FinishedProgram("locationctl", ["setup", "--yes", "--root", folder.path], [:])
    #expect(bare.status == 1 && bare.text.contains("nothing here gives positions"))
    try FileManager.default.createDirectory(
      atPath: folder.file("sys/class/net/wlan0/phy80211"), withIntermediateDirectories: true)
    let unsure = try FinishedProgram("locationctl", ["setup", "--root", folder.path], [:])
    #expect(unsure.status == 2 && unsure.text.contains("setup needs --yes"))
    let missing = folder.file("missing")
    let nowhere = try FinishedProgram("locationctl", ["setup", "--yes", "--root", missing], [:])
    #expect(nowhere.status == 2 && nowhere.text.contains("is no folder"))
    for path in ["etc", "missing"] {
      #expect(!FileManager.default.fileExists(atPath: folder.file(path)))
    }
  }

  @Test("SETUP-10: what sets anything but a source is kept, and the sources are not")
  func settings() throws {
    let folder = try TemporaryFolder()
    let file = SetupFile(path: folder.file("locationd.conf"))
    #expect(file.settings.isEmpty)
    let before = """
      # source = gpsd://localhost
      source = nmea:///dev/ttyUSB0
      #geoclue = no
      geoclue = yes
        restrict=yes
      not a setting
      """
    try before.write(toFile: file.path, atomically: true, encoding: .utf8)
    #expect(file.settings == ["geoclue = yes", "  restrict=yes"])
    let plan = SetupPlan(for: MachineParts())
    let text = plan.configuration(keeping: file.settings)
    #expect(text.hasPrefix(SetupPlan.mark))
    #expect(try file.write(text) == file.path + ".before-setup")
    #expect(file.settings == ["geoclue = yes", "  restrict=yes"])
  }

  @Test("SETUP-8: everybody may read what is written for the machine, whatever the mask")
  func readable() async throws {
    let folder = try TemporaryFolder()
    for path in ["etc", "sys/class/net/wlan0/phy80211"] {
      try FileManager.default.createDirectory(
        atPath: folder.file(path), withIntermediateDirectories: true)
    }
    let setup = try RunningProgram(
      "/bin/sh",
      [
        "-c", #"umask 077; exec "$0" setup --yes --root "$1""#, BuiltProgram.path("locationctl"),
        folder.path,
      ])
    defer { setup.end() }
    _ = try await setup.lines.next { $0.hasPrefix("wrote ") }
    let facts = try FileManager.default.attributesOfItem(atPath: folder.file("etc/locationd.conf"))
    #expect(facts[.posixPermissions] as? Int == 0o644)
  }

  @Test(
    "SETUP-8: a configuration that cannot be read is a fault",
    .enabled(if: geteuid() == 0, "needs root"))
  func unreadable() async throws {
    let folder = try TemporaryFolder()
    chmod(folder.path, 0o755)
    let own = folder.file(".config/meridian")
    try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: true)
    try "clients = 7\n".write(toFile: own + "/locationd.conf", atomically: true, encoding: .utf8)
    chmod(own + "/locationd.conf", 0)
    let check = try RunningProgram(
      "/usr/bin/setpriv",
      [
        "--reuid=65534", "--regid=65534", "--clear-groups", "--", BuiltProgram.path("locationd"),
        "--check",
      ], environment: ["HOME": folder.path, "XDG_CONFIG_HOME": ""])
    defer { check.end() }
    let fault = try await check.lines.next {
      $0.contains("locationd.conf: ") && !$0.contains("no faults")
    }
    #expect(fault.contains("to let user 65534 read it: chgrp 65534 "), "\(fault)")
  }

  @Test(
    "SETUP-12: root looks at the configuration of the machine as the user of the service",
    .enabled(
      if: geteuid() == 0 && getpwnam("locationd") != nil,
      "needs root, and the user locationd"))
  func unreadableForService() throws {
    let folder = try TemporaryFolder()
    chmod(folder.path, 0o755)
    let file = folder.file("locationd.conf")
    try "clients = 7\n".write(toFile: file, atomically: true, encoding: .utf8)
    func check() throws -> FinishedProgram {
      try FinishedProgram("locationd", ["--check", "--system", "--config", file])
    }
    chmod(file, 0o600)
    let closed = try check()
    #expect(closed.status == 2 && closed.text.contains("chgrp "), "\(closed.text)")
    #expect(closed.text.contains("as user locationd, as whom the service runs"))
    chmod(file, 0o644)
    #expect(try check().text.contains("no faults, also for user locationd"))
  }

  @Test("SETUP-5: a daemon that is started by hand makes the folder of its socket")
  func runFolder() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("run/locationd.sock")
    try DaemonSocket.makeFolder(for: path)
    close(try DaemonSocket.listen(at: path))
    #expect(
      try FileManager.default.attributesOfItem(atPath: folder.file("run"))[.posixPermissions]
        as? Int
        == 0o755)
  }
}
