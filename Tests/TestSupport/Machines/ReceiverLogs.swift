import Foundation

/// Logs of real receivers, with gpsd's own reports of each: its regression suite.
package struct ReceiverLogs: Sendable, CustomStringConvertible {
  /// Where the logs are from.
  package enum Origin: Sendable {
    /// Debian's source package of gpsd 3.22, which `Scripts/gpsd_logs.sh` fetches.
    case debian
    /// The shared data: a later version of gpsd.
    case shared
  }

  package let origin: Origin
  /// Such as `iTrek.log`, sorted.
  package let names: [String]

  package var description: String { origin == .debian ? "gpsd 3.22" : "the shared data" }

  /// Every collection on this machine.
  package static let all: [ReceiverLogs] = [.debian, .shared].compactMap(ReceiverLogs.init)

  /// Why a test that needs one does not run.
  package static let areMissing =
    "no receiver logs: Scripts/gpsd_logs.sh fetches them from Debian's source package of gpsd"

  private static let fetched = SharedData.packageRoot.appending(path: ".build/gpsd-logs")
  private static let shared = "gps-receivers/gpsd"

  private init?(_ origin: Origin) {
    let files =
      switch origin {
      case .debian: (try? FileManager.default.contentsOfDirectory(atPath: Self.fetched.path)) ?? []
      case .shared:
        ((try? SharedData.names(in: Self.shared)) ?? []).map { $0.replacing(/\.gz$/, with: "") }
      }
    let logs = files.filter { $0.hasSuffix(".log") }
    guard !logs.isEmpty else { return nil }
    self.origin = origin
    names = logs.sorted()
  }

  /// What the receiver sent; lines that begin with `#` are comments.
  package func bytes(_ name: String) throws -> [UInt8] {
    switch origin {
    case .debian: Array(try Data(contentsOf: Self.fetched.appending(path: name)))
    case .shared: Array(try SharedData.bytes("\(Self.shared)/\(name).gz"))
    }
  }

  /// What gpsd makes of it: NMEA, then JSON.
  package func reports(_ name: String) throws -> [UInt8] { try bytes(name + ".chk") }

  /// A log by name from the first collection that has it.
  package static func bytes(_ name: String) throws -> [UInt8] {
    guard let logs = all.first(where: { $0.names.contains(name) }) else {
      throw CocoaError(.fileNoSuchFile)
    }
    return try logs.bytes(name)
  }

  /// Whether the receiver spoke NMEA: what the index of the shared data says; else, whether it sent
  /// positions in it, where a third of the bytes may be binary.
  package func isNMEA(_ name: String) throws -> Bool {
    if origin == .shared {
      let rows = try SharedData.lines("\(Self.shared)/index.tsv").map { $0.split(separator: "\t") }
      return rows.contains { $0[0] == name && $0[1] == "nmea" }
    }
    let lines = try bytes(name).split(separator: UInt8(ascii: "\n"))
      .filter { $0.first != UInt8(ascii: "#") }
    let positions = ["GGA,", "RMC,", "GLL,"].map { Array($0.utf8) }
    let isDelivered = lines.contains { line in
      line.first == UInt8(ascii: "$") && positions.contains { line.dropFirst(3).starts(with: $0) }
    }
    let all = lines.joined()
    let odd = all.count { !(32..<127).contains($0) && $0 != 13 && $0 != 9 }
    return isDelivered && odd * 3 < all.count
  }

  /// Every different log of all collections.
  package static func distinct() throws -> [(name: String, bytes: [UInt8])] {
    var seen: Set<[UInt8]> = []
    return try all.flatMap { logs in
      try logs.names.compactMap { name in
        let bytes = try logs.bytes(name)
        return seen.insert(bytes).inserted ? (name, bytes) : nil
      }
    }
  }
}
