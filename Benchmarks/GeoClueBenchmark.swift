import Foundation
import LocationHost

/// From a receiver's line to the signal of a client of GeoClue's interface, through Meridian and through
/// Debian's GeoClue in turns; what an update costs each, and how often each wakes for an idle client.
///
/// `Scripts/geoclue/rates.py` measures, on a bus of its own and cut off from the network; both have the
/// same receiver, at the path of a socket. The least that a service can do stands beside them.
func measureGeoClue() async throws {
  guard geteuid() == 0 else { throw MissingPeer(text: "a network of its own needs root") }
  _ = try Peers.program("dbus-daemon", from: "dbus-daemon")
  for (path, package) in [
    ("/usr/libexec/geoclue", "geoclue-2.0"),
    ("/usr/libexec/geoclue-2.0/demos/agent", "geoclue-2.0"),
    ("/usr/include/systemd/sd-bus.h", "libsystemd-dev"),
  ] where !FileManager.default.fileExists(atPath: path) {
    throw MissingPeer(text: "\(path) is missing (Debian: \(package))")
  }
  let script = Peers.packageRoot.appending(path: "Scripts/geoclue/rates.py").path
  let daemon = Peers.products.appending(path: "locationd").path
  let unshare = try Peers.program("unshare", from: "util-linux")
  let command = "ip link set lo up && exec /usr/bin/python3 -B \"$@\""
  try await onThread {
    let child = try Child(unshare, ["-n", "-m", "sh", "-c", command, "rates", script, daemon])
    var count = 0
    var fault: (any Error)?
    child.readLines { line in
      do { count += try report(line) ? 1 : 0 } catch { fault = error }
      return true
    }
    if let fault { throw fault }
    guard child.wait().status == 0, count > 0 else {
      throw InvalidMeasurement(text: "\(script) ended after \(count) figures")
    }
  }
}

/// `NAME VALUE UNIT LABEL`
private func report(_ line: Substring) throws -> Bool {
  let words = line.split(separator: " ", maxSplits: 3)
  guard words.count == 4, let value = Double(words[1]) else { return false }
  let unit = words[2] == "-" ? "" : String(words[2])
  try Figure.report(String(words[0]), value, unit, String(words[3]))
  return true
}
