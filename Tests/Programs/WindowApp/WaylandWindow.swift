import Foundation

/// A window of Wayland (`xdg_wm_base`), with a black buffer.
final class WaylandWindow {
  private let stream: WindowStream
  private let name: String
  private var isShown = false

  /// The numbers of objects, in the order in which they are made.
  private enum Object {
    static let registry: UInt32 = 2
    static let sync: UInt32 = 3
    static let compositor: UInt32 = 4
    static let memory: UInt32 = 5
    static let shell: UInt32 = 6
    static let surface: UInt32 = 7
    static let shellSurface: UInt32 = 8
    static let toplevel: UInt32 = 9
    static let pool: UInt32 = 10
    static let buffer: UInt32 = 11
  }

  private init(_ name: String, _ stream: WindowStream) {
    (self.name, self.stream) = (name, stream)
  }

  /// Shows a window, and returns when it is closed.
  static func show(_ name: String, on path: String) throws {
    try WaylandWindow(name, WindowStream(path: path)).run()
  }

  private func run() throws {
    try send(1, 1, [Object.registry])
    try send(1, 0, [Object.sync])
    var globals: [String: UInt32] = [:]
    while let head = stream.read(8) {
      let opcode = head.word(at: 4) & 0xffff
      guard let body = stream.read(Int(head.word(at: 4) >> 16) - 8) else { return }
      switch (head.word(at: 0), opcode) {
      case (1, 0): return say("error \(String(decoding: body.dropFirst(12), as: UTF8.self))")
      case (Object.registry, 0):
        let length = Int(body.word(at: 4))
        globals[String(decoding: body[8..<8 + length - 1], as: UTF8.self)] = body.word(at: 0)
      case (Object.sync, 0): try make(globals)
      case (Object.shell, 0): try send(Object.shell, 3, [body.word(at: 0)])
      case (Object.shellSurface, 0): try draw(acknowledging: body.word(at: 0))
      case (Object.toplevel, 1): return
      default: break
      }
    }
  }

  private func make(_ globals: [String: UInt32]) throws {
    let wanted: [(String, UInt32, UInt32)] = [
      ("wl_compositor", 4, Object.compositor), ("wl_shm", 1, Object.memory),
      ("xdg_wm_base", 1, Object.shell),
    ]
    for (interface, version, number) in wanted {
      guard let global = globals[interface] else { return say("no \(interface)") }
      var body: [UInt8] = []
      body.append(global)
      try send(Object.registry, 0, [], body + text(interface) + words([version, number]))
    }
    try send(Object.compositor, 0, [Object.surface])
    try send(Object.shell, 2, [Object.shellSurface, Object.surface])
    try send(Object.shellSurface, 1, [Object.toplevel])
    try send(Object.toplevel, 2, [], text(name))
    try send(Object.toplevel, 3, [], text(name))
    try send(Object.surface, 6, [])
  }

  private func draw(acknowledging serial: UInt32) throws {
    try send(Object.shellSurface, 4, [serial])
    guard !isShown else { return try send(Object.surface, 6, []) }
    let (side, bytes): (UInt32, UInt32) = (64, 64 * 64 * 4)
    guard let file = tmpfile() else { throw POSIXError(.ENOMEM) }
    defer { fclose(file) }
    let memory = fileno(file)
    guard ftruncate(memory, Int(bytes)) == 0 else { throw POSIXError(.ENOMEM) }
    let body = words([Object.memory, 16 << 16, Object.pool, bytes])
    try stream.write(body, passing: memory)
    try send(Object.pool, 0, [Object.buffer, 0, side, side, side * 4, 1])
    try send(Object.surface, 1, [Object.buffer, 0, 0])
    try send(Object.surface, 6, [])
    isShown = true
    say("shown")
  }

  private func send(
    _ object: UInt32, _ opcode: UInt32, _ arguments: [UInt32], _ body: [UInt8] = []
  ) throws {
    let body = words(arguments) + body
    try stream.write(words([object, UInt32(body.count + 8) << 16 | opcode]) + body)
  }

  private func words(_ values: [UInt32]) -> [UInt8] {
    var bytes: [UInt8] = []
    for value in values { bytes.append(value) }
    return bytes
  }

  private func text(_ text: String) -> [UInt8] {
    let bytes = Array(text.utf8) + [0]
    let padding = [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4)
    return words([UInt32(bytes.count)]) + bytes + padding
  }
}
