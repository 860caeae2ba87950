import Foundation

/// A window of X (X Window System Protocol, version 11).
enum XWindow {
  /// Shows a window, and returns when the server has closed the connection.
  static func show(_ name: String, on display: String) throws {
    let number = display.drop { $0 == ":" }.prefix { $0 != "." }
    let stream = try WindowStream(path: "/tmp/.X11-unix/X\(number)")
    var setup: [UInt8] = [UInt8(ascii: "l"), 0]
    for word in [11, 0, 0, 0, 0] as [UInt16] { setup.append(word) }
    try stream.write(setup)
    guard let head = stream.read(8), head[0] == 1,
      let body = stream.read(Int(head.half(at: 6)) * 4)
    else { throw POSIXError(.EACCES) }
    let window = body.word(at: 4) | 1
    let vendor = (Int(body.half(at: 16)) + 3) / 4 * 4
    let root = body.word(at: 32 + vendor + Int(body[21]) * 8)
    try stream.write(create(window, below: root) + title(name, of: window) + map(window))
    say("shown")
    while stream.read(32) != nil {}
  }

  private static func create(_ window: UInt32, below root: UInt32) -> [UInt8] {
    var request: [UInt8] = [1, 0]
    request.append(UInt16(8))
    request.append(window)
    request.append(root)
    // Its place and size, its border, its class, its visual, and no attributes.
    for word in [0, 0, 100, 100, 1, 1] as [UInt16] { request.append(word) }
    request.append(UInt32(0))
    request.append(UInt32(0))
    return request
  }

  /// `WM_NAME`, and a lie: `_NET_WM_PID` would be another property of this kind.
  private static func title(_ name: String, of window: UInt32) -> [UInt8] {
    let text = Array(name.utf8)
    let padding = (4 - text.count % 4) % 4
    var request: [UInt8] = [18, 0]
    request.append(UInt16(6 + (text.count + padding) / 4))
    for word in [window, 39, 31] { request.append(word) }
    request += [8, 0, 0, 0]
    request.append(UInt32(text.count))
    return request + text + [UInt8](repeating: 0, count: padding)
  }

  private static func map(_ window: UInt32) -> [UInt8] {
    var request: [UInt8] = [8, 0]
    request.append(UInt16(2))
    request.append(window)
    return request
  }
}
