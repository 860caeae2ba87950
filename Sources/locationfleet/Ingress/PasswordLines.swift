/// Passwords that are to be looked at: a line for each way in, and the lines take turns. So those who try
/// passwords by HTTP keep nobody out who comes by MQTT.
struct PasswordLines {
  typealias Entry = (visitor: IngressProcess.Visitor, user: String, password: [UInt8])

  private var devices: [Entry] = []
  private var web: [Entry] = []
  private var isForWeb = false

  var isEmpty: Bool { devices.isEmpty && web.isEmpty }

  /// Puts one at the end of its line; returns whether there was room.
  mutating func add(_ visitor: IngressProcess.Visitor, _ user: String, _ password: [UInt8]) -> Bool
  {
    switch visitor {
    case .device: Self.add((visitor, user, password), to: &devices)
    case .web: Self.add((visitor, user, password), to: &web)
    }
  }

  private static func add(_ entry: Entry, to line: inout [Entry]) -> Bool {
    guard line.count < most else { return false }
    line.append(entry)
    return true
  }

  mutating func take() -> Entry? {
    isForWeb.toggle()
    let isWeb = isForWeb ? !web.isEmpty : devices.isEmpty
    if isWeb { return web.isEmpty ? nil : web.removeFirst() }
    return devices.isEmpty ? nil : devices.removeFirst()
  }

  private static let most = 1000
}
