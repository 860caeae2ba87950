/// The kernel's tables of TCP connections, /proc/net/tcp and tcp6: whose program holds the other end.
enum PeerTable {
  /// The user of the program that has connected from one port of the loopback to another; `nil` where the
  /// table has no such connection.
  static func user(from port: UInt16, to server: UInt16, in table: String) -> UInt32? {
    let (near, far) = (end(port), end(server))
    for line in table.split(separator: "\n").dropFirst() {
      let fields = line.split(separator: " ", maxSplits: 8, omittingEmptySubsequences: true)
      guard fields.count > 8, isLoopback(fields[1], near), isLoopback(fields[2], far) else { continue }
      return UInt32(fields[7])
    }
    return nil
  }

  /// A port as the table has it.
  private static func end(_ port: UInt16) -> String {
    let digits = String(port, radix: 16, uppercase: true)
    return ":" + String(repeating: "0", count: 4 - digits.count) + digits
  }

  /// The kernel writes words in the byte order of the machine.
  private static let loopback: Set = [
    "0100007F", "0000000000000000FFFF00000100007F",
    "7F000001", "00000000000000000000FFFF7F000001",
  ]

  /// Whether an address of the table is of 127.0.0.1, also as IPv6 writes it, and of that port.
  private static func isLoopback(_ field: Substring, _ end: String) -> Bool {
    guard field.hasSuffix(end) else { return false }
    let address = field.dropLast(end.count)
    return loopback.contains(String(address))
  }
}
