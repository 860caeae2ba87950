import Foundation
import TestSupport
import Testing

@Suite("All radios of a daemon while nobody asks", .enabled(if: MockMachine.isThere))
struct RestingRadioTests {
  private static let radios = [
    "wifi:", "modem:", "bluez:", "iio:", "zone:", "ichnaea:http://127.0.0.1:9",
  ]

  /// The fields of a file of the kernel's, line by line.
  private func table(_ path: String) throws -> [[Substring]] {
    try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map {
      $0.split(whereSeparator: \.isWhitespace)
    }
  }

  /// The sockets that a process has open, by their numbers.
  private func sockets(of process: pid_t) throws -> Set<String> {
    let folder = "/proc/\(process)/fd"
    let targets = try FileManager.default.contentsOfDirectory(atPath: folder).compactMap {
      try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
    }
    return Set(
      targets.filter { $0.hasPrefix("socket:[") }.map { String($0.dropFirst(8).dropLast()) })
  }

  /// The seconds until each timer of a process that runs, which the kernel lists with its descriptors.
  private func timers(of process: pid_t) throws -> [Int] {
    let folder = "/proc/\(process)/fdinfo"
    return try FileManager.default.contentsOfDirectory(atPath: folder).flatMap { name in
      // A descriptor may have been closed meanwhile.
      let lines = (try? table("\(folder)/\(name)")) ?? []
      return lines.filter { $0.first == "it_value:" }.compactMap { line in
        let left = line.dropFirst().map { Int($0.filter(\.isNumber)) ?? 0 }
        return left.allSatisfy { $0 == 0 } ? nil : left[0]
      }
    }
  }

  @Test("RADIO-37: no timer of its sources runs, and it listens to nothing of the kernel's Wi-Fi")
  func rest() async throws {
    let machine = try MockMachine()
    let daemon = try await DaemonRun(
      sources: Self.radios, environment: ["DBUS_SYSTEM_BUS_ADDRESS": machine.address])
    // The daemon itself overwrites what was replaced in its files after a minute, writes the time once an hour, and
    // tends files that were damaged once a day. A bus that lets it in has some seconds for that at first.
    func shortest() throws -> Int {
      usleep(20_000)
      return try timers(of: daemon.program.pid).min() ?? 0
    }
    for _ in 0..<500 where try shortest() > 40 { break }
    for _ in 0..<20 { #expect(try shortest() > 40) }
    let netlink = Set(try table("/proc/net/netlink").compactMap { $0.last.map(String.init) })
    #expect(try sockets(of: daemon.program.pid).isDisjoint(with: netlink))
    withExtendedLifetime(machine) {}
  }
}
