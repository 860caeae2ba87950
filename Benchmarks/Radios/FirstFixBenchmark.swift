import CoreLocation
import Foundation
import LocationEngine
import LocationHost
import LocationModel
import LocationProviders
import LocationRadio
import TestSupport

/// From the start of a program to its first position (RADIO-36), at a place that a map of nearly the
/// greatest size knows, from what the kernel heard before: the state is opened, the map read, a simulated
/// kernel asked over its socket. Median and slowest of 10, on the wall, the program's start included.
func measureFirstFix() async throws {
  let folder = try Peers.folder("first-fix")
  defer { try? FileManager.default.removeItem(at: folder) }
  let town = TaughtTown()
  let bytes = try town.store(in: folder.path)
  try Figure.report("first-fix.map", Double(bytes) / 1e6, "MB", "the map that is stored")
  let kernel = try KernelSocket(KernelWiFi([KernelWiFi.Adapter(3, "wlan0")]))
  var times: [Double] = []
  var errors: [Double] = []
  for run in 0..<10 {
    let place = (east: 100 + Double(run) * 50, north: 300.0)
    kernel.scan(3, hears: town.heard(at: place))
    let begin = ContinuousClock.now
    let child = try Child(Peers.own, [FirstFix.name, folder.path, kernel.path])
    child.readLines { line in
      times.append((ContinuousClock.now - begin) / .milliseconds(1))
      let numbers = line.split(separator: " ").compactMap { Double($0) }
      let found = Coordinate(latitude: numbers[0], longitude: numbers[1])
      let truth = town.frame.place(east: place.east, north: place.north)
      errors.append(LocalFrame(center: truth).distance(to: found))
      return false
    }
    _ = child.wait()
  }
  guard times.count == 10 else { throw InvalidMeasurement(text: "there was no position") }
  try Figure.report("first-fix.error", errors.median, "m", "the error of the first position")
  try Figure.report("first-fix.cached", times.median, "ms", "start to first position, median")
  try Figure.report("first-fix.cached.slowest", times.max() ?? 0, "ms", "the slowest of 10")
}

/// The program whose first position is measured: what `locationd` runs, in a process of its own.
enum FirstFix {
  static let name = "--first-fix"

  static func run(_ folder: String, _ kernel: String) async throws -> Never {
    let app = AppIdentity("benchmark")
    let begin = Date()
    let host = LocationHost(
      sources: [.wifi()], keeper: StateKeeper(folder: StateFolder(path: folder)),
      places: HostPaths(bus: "unix:path=/nonexistent", netlink: kernel))
    let client = LocationClient(ClientDescription(app: app, manifest: Manifest()), over: host)
    host.pass(.setting(.authorization(app, .always)))
    try await LocationClient.$bound.withValue(client) {
      for try await update in CLLocationUpdate.liveUpdates() {
        // The position of the run before is stored, too.
        guard let location = update.location, location.timestamp >= begin else { continue }
        print(location.coordinate.latitude, location.coordinate.longitude)
        fflush(nil)
        exit(0)
      }
    }
    exit(1)
  }
}

/// A part of a town, 720 by 720 m, that was walked through every three meters, with an access point every
/// 20 m.
private struct TaughtTown {
  let frame = LocalFrame(center: Coordinate(latitude: 48.1, longitude: 11.5))
  private static let (places, step, grid) = (240, 3.0, 20.0)

  /// The access points within 45 m of a place, each with its level in dBm.
  private func levels(at place: (east: Double, north: Double))
    -> [(number: UInt64, level: Double)]
  {
    let (row, column) = (Int(place.north / Self.grid), Int(place.east / Self.grid))
    var found: [(UInt64, Double)] = []
    for north in max(0, row - 2)...row + 2 {
      for east in max(0, column - 2)...column + 2 {
        let distance = hypot(
          place.east - Double(east) * Self.grid, place.north - Double(north) * Self.grid)
        guard distance < 45 else { continue }
        found.append((UInt64(north * 100 + east), -40 - 30 * log10(max(distance, 1))))
      }
    }
    return found
  }

  /// What the kernel lists at a place.
  func heard(at place: (east: Double, north: Double)) -> [AccessPoint] {
    levels(at: place).map { station in
      let bits = Self.address(station.number).bits
      let octets = (0..<6).reversed().map { UInt8(truncatingIfNeeded: bits >> (8 * $0)) }
      return AccessPoint("town", octets, dBm: station.level, heardAt: nil)
    }
  }

  private static func address(_ number: UInt64) -> BSSID { BSSID(0x0011_2200_0000 | number << 4) }

  /// Stores the map of it as a daemon does; returns how many bytes.
  func store(in folder: String) throws -> Int {
    let keeper = StateKeeper(folder: StateFolder(path: folder))
    var map = RadioMap(secret: keeper.secret())
    let now = HostClock.now
    let observations = (0..<Self.places * Self.places).map { number in
      let place = (
        east: Double(number % Self.places) * Self.step,
        north: Double(number / Self.places) * Self.step
      )
      let readings = levels(at: place).map {
        RadioScan.Reading(.accessPoint(Self.address($0.number)), level: $0.level)
      }
      let time = now.unixTime - .seconds(3600)
      return RadioObservation.scan(
        RadioScan(readings, time: time), at: frame.place(east: place.east, north: place.north),
        floor: nil)
    }
    _ = map.handle(.learn(observations), at: now)
    let changes = map.handle(.save, at: now).compactMap { output -> StateChange? in
      if case .store(let change) = output { change } else { nil }
    }
    try keeper.store(changes)
    return changes.reduce(0) { sum, change in
      if case .set(_, let value) = change { sum + value.count } else { sum }
    }
  }
}
