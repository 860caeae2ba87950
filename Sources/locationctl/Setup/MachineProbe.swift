import CLinux
import Glibc
import LocationHost
import LocationModel
import LocationProviders

/// Looks at what a machine has that gives positions.
struct MachineProbe: Sendable {
  /// The folder that stands for `/`.
  var root: String
  /// The port at which gpsd is looked for; `nil` looks for none.
  var gpsd: UInt16?
  /// How long to listen at one rate; receivers send every second.
  var timeout: Duration

  init(
    root: String = "", gpsd: UInt16? = Source.gpsdPort, timeout: Duration = .milliseconds(1500)
  ) {
    self.root = root
    self.gpsd = gpsd
    self.timeout = timeout
  }

  /// Looks at everything; takes up to ten seconds for each serial port.
  func parts(saying: (String) -> Void = { _ in }) -> MachineParts {
    var parts = MachineParts()
    parts.answersGpsd = gpsd.map(Self.answers) ?? false
    parts.wifi = names("/sys/class/net") {
      access("\($0)/phy80211", F_OK) == 0 || access("\($0)/wireless", F_OK) == 0
    }
    parts.bluetooth = names("/sys/class/bluetooth") { $0.holds("/hci") }
    parts.sensors = names("/sys/bus/iio/devices") { $0.holds("/iio:device") }
    parts.modems =
      names("/sys/class/wwan") { _ in true }
      + names("/sys/class/usbmisc") { $0.holds("/cdc-wdm") }
    parts.databases = ["/usr/share/GeoIP", "/var/lib/GeoIP"].flatMap { folder in
      names(folder) { $0.hasSuffix(".mmdb") && $0.lowercased().holds("city") }
        .map { "\(folder)/\($0)" }
    }
    parts.zone = (try? Opening.linkTarget(root + "/etc/localtime")).map {
      String(decoding: $0, as: UTF8.self)
    }
    parts.sockets = servedSockets()
    // gpsd has the receivers that it was given, and so has a program that serves a socket.
    guard !parts.answersGpsd, parts.sockets.isEmpty else { return parts }
    let prefixes = ["ttyUSB", "ttyACM", "ttyAMA", "ttyS", "ttyO", "gnss"]
    let found = names("/dev") { path in prefixes.contains { path.holds("/dev/" + $0) } }
    for name in found {
      let path = root + "/dev/" + name
      guard Self.isTerminal(path) else { continue }
      saying("listening to \(path)")
      parts.ports.append(MachineParts.Port(path: path, baud: baud(of: path)))
    }
    return parts
  }

  /// The sockets that give NMEA: those that GeoClue is configured for, and the usual one of gnss-share.
  private func servedSockets() -> [String] {
    let folder = "/etc/geoclue"
    let more = names(folder + "/conf.d") { $0.hasSuffix(".conf") }
    let files = [folder + "/geoclue.conf"] + more.map { "\(folder)/conf.d/\($0)" }
    let lines = files.compactMap { SmallFile.read(root + $0, limit: 1 << 16) }.flatMap {
      String(decoding: $0, as: UTF8.self).split(whereSeparator: \.isNewline)
    }
    // The one folder has two names.
    let configured = lines.compactMap(MachineParts.nmeaSocket(in:)).map {
      $0.hasPrefix("/var/run/") ? String($0.dropFirst(4)) : $0
    }
    var found: [String] = []
    for path in configured + ["/run/gnss-share.sock"] {
      guard !found.contains(path), let descriptor = try? Opening.stream(root + path) else {
        continue
      }
      close(descriptor)
      found.append(path)
    }
    return Array(found.prefix(Self.mostParts))
  }

  /// The rates of receivers, the usual ones first.
  static let rates = [9600, 115_200, 38_400, 4800, 57_600, 19_200, 230_400, 460_800]

  /// Finds the rate at which NMEA comes from a port; `nil` if none comes.
  func baud(of path: String) -> Int? {
    for rate in Self.rates {
      guard let descriptor = try? Opening.serial(path, baud: rate) else { return nil }
      defer { close(descriptor) }
      tcflush(descriptor, TCIFLUSH)
      let recognizer = listen(to: descriptor)
      if recognizer.isNMEA { return rate }
      // A receiver that sends at another rate is heard as noise.
      if recognizer.count == 0 { return nil }
    }
    return nil
  }

  private func listen(to descriptor: Int32) -> NMEARecognizer {
    var recognizer = NMEARecognizer()
    let end = ContinuousClock.now + timeout
    var bytes = [UInt8](repeating: 0, count: 4096)
    while !recognizer.isNMEA {
      let left = (end - ContinuousClock.now) / .milliseconds(1)
      var wish = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard left > 0, poll(&wish, 1, Int32(left.rounded(.up))) > 0 else { break }
      let count = read(descriptor, &bytes, bytes.count)
      guard count > 0 else { break }
      recognizer.read(bytes.prefix(count))
    }
    return recognizer
  }

  /// Whether a path is a port with a speed: ports that the machine does not have are listed as well.
  private static func isTerminal(_ path: String) -> Bool {
    let descriptor = open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var settings = termios()
    return tcgetattr(descriptor, &settings) == 0
  }

  /// Returns the names in a folder whose paths are wanted.
  private func names(_ folder: String, _ isWanted: (String) -> Bool) -> [String] {
    let names = SmallFile.names(in: root + folder)
    return Array(names.filter { isWanted("\(root)\(folder)/\($0)") }.prefix(Self.mostParts))
  }

  /// Chosen: more than a computer has.
  private static let mostParts = 32

  /// Whether a program listens on a port of the loopback.
  private static func answers(_ port: UInt16) -> Bool {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }
}
