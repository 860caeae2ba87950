import CLinux
import Foundation
import Glibc
import LocationModel
import TestSupport
import Testing

@testable import locationctl

/// Each case of the doctor, on the built executable; real gpsd has its tests elsewhere.
@Suite("locationctl doctor")
struct DoctorTests {
  /// The codes found, by a run that may take as long as its `--timeout`.
  private func findings(_ words: String..., environment: [String: String] = [:]) throws -> Found {
    // Any file that can be read stands for the machine's place index, which has its own test.
    let environment = environment.merging(["MERIDIAN_PLACES": "/dev/null"]) { given, _ in given }
    let run = try Run(["doctor", "--json"] + words, environment: environment)
    return Found(status: run.status, objects: try run.objects())
  }

  private struct Found {
    var status: Int32
    var objects: [[String: Any]]
    var codes: [String] { objects.compactMap { $0["code"] as? String } }

    func text(_ key: String) -> String { objects.first?[key] as? String ?? "" }
  }

  private static let device =
    #"{"class":"DEVICES","devices":[{"path":"/dev/ttyUSB0","activated":"2026-01-01T00:00:00Z"}]}"#

  @Test("GEOCLUE-20: a program without a property list needs none where GeoClue is served")
  func geoclueProgram() throws {
    let app = try InstalledApp("/usr/bin/env").asRun(by: 1000)
    #expect(app.identity.name.hasSuffix("/env@1000"))
    var diagnosis = AppDiagnosis(app: app, decided: nil, servicesAreOn: true)
    #expect(diagnosis.findings.map(\.code) == ["usage_string_missing", "not_authorized"])
    (diagnosis.mayAskGeoClue, diagnosis.command) = (true, "sudo locationctl")
    #expect(diagnosis.findings.map(\.code) == ["no_usage_string", "not_authorized"])
    #expect(
      diagnosis.findings.last?.next == "sudo locationctl authorize \(app.identity.name) whenInUse")
  }

  @Test("GEOCLUE-21: a next step that only the owner of the machine's daemon may take has sudo")
  func ownersSteps() {
    let system = "/run/locationd/locationd.sock"
    let behindSudo = RunningDaemon.command(at: system, ["SUDO_UID": "1000"])
    #expect(behindSudo == "sudo locationctl")
    let typed = RunningDaemon.command(at: system, [:])
    #expect(typed == (getuid() == 0 ? "locationctl" : "sudo locationctl"))
    let socket = "/nonexistent/locationd.sock"
    let refused = Failure(.refused("why", next: "locationctl services on"), socket)
    #expect(refused.next == "\(RunningDaemon.command(at: socket)) services on")
    #expect(Failure(.refused("why", next: "df /var"), socket).next == "df /var")
  }

  @Test("is content with a source that works")
  func good() throws {
    let found = try findings("--source", "fixed:1,2")
    #expect(found.codes == ["working"])
    #expect(found.status == 0)
  }

  @Test("names the way to a place index where there is none, and does not fail for it")
  func noPlaceIndex() throws {
    let none = ["MERIDIAN_PLACES": "/dev/null/places.sqlite"]
    let found = try findings("--source", "fixed:1,2", environment: none)
    #expect(found.codes == ["working", "no_place_index"])
    #expect(found.status == 0)
    let next = try #require(found.objects.last?["next"] as? String)
    #expect(next.contains("meridian-places") && next.contains("make places"))
  }

  @Test("finds no source in an empty environment variable")
  func noSource() throws {
    let found = try findings(environment: ["CORELOCATION_SOURCES": ""])
    #expect(found.codes == ["no_source"])
    #expect(found.text("next").contains("--source gpsd://localhost"))
    #expect(found.status == 1)
  }

  @Test("RADIO-42: says that a location service alone receives nothing, and shows no key of it")
  func service() throws {
    let found = try findings(
      "--source", "ichnaea:http://127.0.0.1:\(try unusedPort())?key=k1", "--timeout", "1")
    #expect(found.codes == ["not_asked"])
    #expect(found.text("next").contains("wifi:"))
    #expect(found.text("subject").contains("ichnaea:") && !found.text("subject").contains("k1"))
  }

  @Test("RADIO-62: says what a database of addresses gives, and why it gives nothing")
  func geoIP() throws {
    let folder = try TemporaryFolder()
    var writer = MaxMindWriter()
    writer.add([203, 0, 113, 0], 24, MaxMindWriter.city(51.5, -0.1, kilometers: 20))
    writer.add([198, 51, 100, 0], 24, .map([("country", .map([("iso_code", .text("GB"))]))]))
    let path = folder.file("city.mmdb")
    try Data(writer.bytes).write(to: URL(filePath: path))
    let good = try findings("--source", "geoip:\(path)?address=203.0.113.7")
    #expect(good.codes == ["region"] && good.text("message").hasPrefix("GeoIP"))
    for (address, code) in [("198.51.100.7", "geoip_coordinates"), ("192.0.2.7", "geoip_entry")] {
      #expect(try findings("--source", "geoip:\(path)?address=\(address)").codes == [code])
    }
    let none = try findings("--source", "geoip:\(path).none?address=203.0.113.7")
    #expect(none.codes == ["missing"] && none.text("message").contains(path + ".none"))
    #expect(try findings("--source", "geoip:/etc/hosts?address=203.0.113.7").codes == ["malformed"])
  }

  @Test("finds gpsd not running")
  func gpsdNotRunning() throws {
    let found = try findings("--source", "gpsd://127.0.0.1:\(try unusedPort())")
    #expect(found.codes == ["gpsd_unreachable"])
    #expect(found.text("message").contains("Connection refused"))
    #expect(found.text("next").contains("systemctl start gpsd.socket"))
  }

  @Test("finds gpsd without device")
  func gpsdWithoutDevice() throws {
    let gpsd = try FakeGpsd(answer: [#"{"class":"DEVICES","devices":[]}"#])
    let found = try findings("--source", "gpsd://127.0.0.1:\(gpsd.port)")
    #expect(found.codes == ["gpsd_no_device"])
    #expect(found.text("next").contains("gpsdctl add"))
  }

  @Test("finds a device of gpsd without fix, and counts its satellites")
  func gpsdWithoutFix() throws {
    let gpsd = try FakeGpsd(answer: [
      Self.device, #"{"class":"SKY","device":"/dev/ttyUSB0","nSat":4,"uSat":0}"#,
      #"{"class":"TPV","device":"/dev/ttyUSB0","mode":1}"#,
    ])
    let found = try findings("--source", "gpsd://127.0.0.1:\(gpsd.port)", "--timeout", "6")
    #expect(found.codes == ["no_fix"])
    #expect(found.text("message").contains("4 satellites in view, 0 used"))
    #expect(found.text("message").contains("/dev/ttyUSB0"))
  }

  @Test("finds a device of gpsd that says nothing")
  func gpsdSilent() throws {
    let gpsd = try FakeGpsd(answer: [Self.device])
    let found = try findings("--source", "gpsd://127.0.0.1:\(gpsd.port)", "--timeout", "6")
    #expect(found.codes == ["silent"])
  }

  @Test("finds something else than gpsd on the port")
  func notGpsd() throws {
    let gpsd = try FakeGpsd(answer: [Self.device])
    let found = try findings("--source", "nmea+tcp://127.0.0.1:\(gpsd.port)", "--timeout", "2")
    #expect(found.codes == ["garbled"])
  }

  @Test("finds the wrong baud rate of a serial port")
  func wrongBaud() throws {
    let port = try SerialPort()
    var random = SystemRandomNumberGenerator()
    port.send((0..<2000).map { _ in UInt8.random(in: 128...255, using: &random) })
    let found = try findings("--source", "nmea://\(port.path)?baud=9600", "--timeout", "5")
    #expect(found.codes == ["wrong_baud_rate"])
    #expect(found.text("next").contains("baud=4800"))
  }

  @Test("finds a serial receiver without fix, and one that says nothing")
  func serialWithoutFix() throws {
    let port = try SerialPort()
    let silent = try findings("--source", "nmea://\(port.path)", "--timeout", "1")
    #expect(silent.codes == ["silent"])
    port.send(
      Array("$GPGGA,175740,,,,,0,00,,,M,,M,,*66\r\n$GPRMC,175740,V,,,,,,,200610,,*34\r\n".utf8))
    let found = try findings("--source", "nmea://\(port.path)", "--timeout", "2")
    #expect(found.codes == ["no_fix"], "\(found.objects)")
  }

  @Test(
    "finds a serial port without permission",
    .enabled(if: getuid() == 0 && Run.isReadableByOthers, "needs root and a readable build"))
  func noPermission() throws {
    let port = try SerialPort()
    chmod(port.path, 0o600)
    let run = try Run(
      program: "/usr/bin/setpriv",
      [
        "--reuid=65534", "--regid=65534", "--clear-groups", Run.locationctl.path, "doctor",
        "--json",
        "--source", "nmea://\(port.path)",
      ], environment: ["MERIDIAN_PLACES": "/dev/null"])
    let found = Found(status: run.status, objects: try run.objects())
    #expect(found.codes == ["no_permission"], "\(run.error)")
    #expect(found.text("message").contains("Permission denied"))
    #expect(found.text("next").contains("sudo usermod -aG"))
  }

  @Test("finds a serial port that is not there, and a file that is damaged")
  func missing() throws {
    #expect(try findings("--source", "nmea:///dev/ttyNONE9").codes == ["missing"])
    let file = FileManager.default.temporaryDirectory.appending(path: "doctor-\(UUID()).gpx")
    try Data("<gpx><trk>".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let found = try findings("--source", "gpx://\(file.path)")
    #expect(found.codes == ["malformed"])
    #expect(found.text("message").contains(file.path))
  }

  @Test("finds an app that nobody authorized, and one without usage string")
  func apps() throws {
    let home = FileManager.default.temporaryDirectory.appending(path: "doctor-\(UUID())")
    try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: home) }
    let environment = ["XDG_STATE_HOME": home.path, "CORELOCATION_SOURCES": "fixed:1,2"]
    let app = home.appending(path: "tool")
    try Data().write(to: app)
    let bare = try findings("--app", app.path, environment: environment)
    #expect(
      bare.codes == ["working", "usage_string_missing", "not_authorized", "no_agent", "state_key"])
    let key = try #require(bare.objects.last?["message"] as? String)
    #expect(key.contains("-key/master") && key.contains("not one of the whole disk"))
    #expect(
      bare.objects[1]["next"] as? String
        == "create \(app.path).plist with the key NSLocationWhenInUseUsageDescription and the "
        + "reason, in words for people")
    #expect(bare.status == 1)
    let list = """
      <plist version="1.0"><dict><key>NSLocationWhenInUseUsageDescription</key>
      <string>To show the way</string></dict></plist>
      """
    try Data(list.utf8).write(to: app.appendingPathExtension("plist"))
    _ = try Run(["authorize", app.path, "whenInUse"], environment: environment)
    let good = try findings("--app", app.path, environment: environment)
    #expect(good.codes == ["working", "authorized", "state_key"])
    #expect(good.status == 0)
    let needs =
      "<key>UIRequiredDeviceCapabilities</key><array><string>location-services</string>"
      + "<string>gps</string><string>magnetometer</string><string>arm64</string></array>"
    try Data(list.replacing("</dict>", with: needs + "</dict>").utf8)
      .write(to: app.appendingPathExtension("plist"))
    let lacking = try findings("--app", app.path, environment: environment)
    let missing = ["capability_missing", "capability_missing"]
    #expect(lacking.codes == ["working", "authorized"] + missing + ["state_key"])
    #expect((lacking.objects[2]["message"] as? String)?.contains("it requires gps") == true)
    #expect(lacking.status == 0)
    _ = try Run(["authorize", app.path, "never"], environment: environment)
    #expect(
      try findings("--app", app.path, environment: environment).codes
        == ["working", "not_authorized"] + missing + ["state_key"])
  }

  @Test("finds that nobody can be asked, and names each agent and the command that answers instead")
  func agents() throws {
    let home = FileManager.default.temporaryDirectory.appending(path: "doctor-\(UUID())")
    try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: home) }
    let policy = home.appending(path: "policy")
    try Data("org.example.Walk sometimes".utf8).write(to: policy)
    var environment = [
      "XDG_STATE_HOME": home.path, "CORELOCATION_SOURCES": "fixed:1,2",
      "CORELOCATION_AGENTS": "policy:\(policy.path) notification butler",
    ]
    let none = try findings("--app", "org.example.Walk", environment: environment)
    let fault =
      "\(policy.path):1: unknown level `sometimes`; known are never, once, whenInUse, always, ask"
    let session = "neither DBUS_SESSION_BUS_ADDRESS nor XDG_RUNTIME_DIR is set"
    #expect(
      none.codes == [
        "working", "manifest_unknown", "not_authorized", "no_agent", "agent_unknown",
        "agent_unusable", "agent_unusable", "state_key",
      ])
    #expect(
      none.objects[3]["message"] as? String
        == "its question stays open, for nobody can be asked (policy:\(policy.path): \(fault); "
        + "notification: \(session))")
    #expect(
      none.objects[3]["next"] as? String
        == "answer it: locationctl authorize org.example.Walk whenInUse")
    #expect(none.objects[5]["message"] as? String == fault)
    #expect(none.status == 1)
    try Data("org.example.Walk whenInUse".utf8).write(to: policy)
    environment["CORELOCATION_AGENTS"] = "policy:\(policy.path)"
    let asked = try findings("--app", "org.example.Walk", environment: environment)
    #expect(asked.codes == ["working", "manifest_unknown", "not_authorized", "state_key"])
  }

  @Test("speaks to people in lines with a mark, what was found, and the next step")
  func text() throws {
    let run = try Run(
      ["doctor", "--source", "fixed:1,2", "--source", "gpx:///no/such.gpx"],
      environment: ["MERIDIAN_PLACES": "/dev/null/places.sqlite"])
    #expect(run.status == 0, "one source works")
    #expect(
      run.output == """
        ok  fixed:1.0,2.0,5.0
            found: 1 position
        no  gpx:///no/such.gpx
            found: open /no/such.gpx: No such file or directory
            next: check the path
        ?   places
            found: there is no place index: no place is found by its name, and none named
            next: install the package meridian-places, or in the folder of the source: make places

        """)
  }
}

/// A pseudo terminal that stands for a serial port.
final class SerialPort {
  let path: String
  private let controller: Int32

  init() throws {
    var descriptor: Int32 = -1
    var name = [CChar](repeating: 0, count: 128)
    guard linux_open_pty(&descriptor, &name, UInt(name.count)) == 0 else {
      throw FakeGpsd.Refusal()
    }
    controller = descriptor
    path = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    close(controller)
  }

  func send(_ bytes: [UInt8]) {
    _ = write(controller, bytes, bytes.count)
  }
}

extension Run {
  /// Whether another user of this machine may run the built executable.
  static let isReadableByOthers: Bool = {
    var folder = locationctl
    while folder.path != "/" {
      var status = stat()
      guard stat(folder.path, &status) == 0, status.st_mode & S_IXOTH != 0 else { return false }
      folder.deleteLastPathComponent()
    }
    return true
  }()
}
