package import LocationModel

/// Follows the windows of sway over its control socket (the IPC of i3, sway-ipc(7)).
///
/// Reads the tree of windows at the beginning and after each event that can change whose window is
/// focused; events that come while the tree is awaited cause one more reading. Only windows of
/// Wayland count: their process is the one that the kernel gave sway, while that of a window of X is
/// what the window says of itself.
package struct SwayWindows: Machine {
  private var buffer: [UInt8] = []
  /// When the awaited tree is overdue; `nil` while none is awaited.
  private var overdue: Instant?
  /// Whether something has changed since the awaited tree was asked for.
  private var isStale = false
  private var last: WindowState?
  private var hasEnded = false

  package init() {}

  package var nextDeadline: Instant? { overdue }

  package mutating func handle(_ input: WindowInput, at now: Moment) -> [WindowOutput] {
    guard !hasEnded else { return [] }
    switch input {
    case .opened:
      let events = Self.message(.subscribe, Array(#"["window","workspace"]"#.utf8))
      return [.send(events)] + ask(at: now)
    case .bytes(let bytes): return take(bytes, at: now)
    case .bus: return []
    case .wake:
      guard let overdue, now.uptime >= overdue else { return [] }
      return end("sway does not answer")
    }
  }

  private mutating func ask(at now: Moment) -> [WindowOutput] {
    guard overdue == nil else {
      isStale = true
      return []
    }
    overdue = now.uptime + WindowBounds.answer
    return [.send(Self.message(.tree, []))]
  }

  private mutating func end(_ reason: String) -> [WindowOutput] {
    (hasEnded, overdue, buffer) = (true, nil, [])
    return [.ended(reason: reason)]
  }

  private mutating func take(_ bytes: [UInt8], at now: Moment) -> [WindowOutput] {
    buffer += bytes
    var outputs: [WindowOutput] = []
    var start = 0
    while buffer.count - start >= Self.headLength, !hasEnded {
      guard buffer[start..<start + Self.magic.count].elementsEqual(Self.magic),
        let length = buffer.native(at: start + 6), let kind = buffer.native(at: start + 10),
        length <= Self.longest
      else { return outputs + end("sway sends what is no message") }
      let end = start + Self.headLength + Int(length)
      guard end <= buffer.count else { break }
      outputs += take(kind, Array(buffer[start + Self.headLength..<end]), at: now)
      start = end
    }
    buffer.removeFirst(min(start, buffer.count))
    return outputs
  }

  private mutating func take(
    _ kind: UInt32, _ body: [UInt8], at now: Moment
  ) -> [WindowOutput] {
    switch Kind(rawValue: kind) {
    case .tree: return takeTree(body, at: now)
    case .subscribe:
      return Self.word("success", of: body) == "true" ? [] : end("sway reports no events")
    case .windowEvent:
      guard let change = Self.word("change", of: body) else {
        return end("sway sends an event that cannot be read")
      }
      return Self.irrelevant.contains(change) ? [] : ask(at: now)
    case .workspaceEvent: return ask(at: now)
    case nil: return []
    }
  }

  private mutating func takeTree(_ body: [UInt8], at now: Moment) -> [WindowOutput] {
    overdue = nil
    var scanner = JSONScanner(body)
    var tree = WindowState()
    do throws(JSONFault) {
      try scanner.document { (key: JSONKey, scanner: inout JSONScanner) throws(JSONFault) in
        try Self.readChildren(key, &scanner, into: &tree)
      }
    } catch { return end("sway sends a tree that cannot be read") }
    var outputs: [WindowOutput] = tree == last ? [] : [.windows(tree)]
    last = tree
    if isStale {
      isStale = false
      outputs += ask(at: now)
    }
    return outputs
  }

  /// Reads the nodes below a node, and skips any other member.
  private static func readChildren(
    _ key: JSONKey, _ scanner: inout JSONScanner, into tree: inout WindowState
  ) throws(JSONFault) {
    guard key == "nodes" || key == "floating_nodes", try scanner.isArray() else {
      return try scanner.skip()
    }
    var found = tree
    try scanner.array { (scanner: inout JSONScanner) throws(JSONFault) in
      try readNode(&scanner, into: &found)
    }
    tree = found
  }

  private static func readNode(
    _ scanner: inout JSONScanner, into tree: inout WindowState
  ) throws(JSONFault) {
    var (process, isFocused, shell): (Double?, Bool, String?) = (nil, false, nil)
    var found = tree
    try scanner.object { (key: JSONKey, scanner: inout JSONScanner) throws(JSONFault) in
      switch key {
      case "pid": process = try scanner.number()
      case "focused": isFocused = try scanner.boolean() ?? false
      case "shell": shell = try scanner.string()
      default: try readChildren(key, &scanner, into: &found)
      }
    }
    tree = found
    guard shell != "xwayland", let pid = process.flatMap({ Int32(exactly: $0) }), pid > 0,
      tree.owners.count < WindowBounds.windows
    else { return }
    tree.owners.insert(.process(pid))
    if isFocused { tree.active.insert(.process(pid)) }
  }

  /// The value of a member of the outermost object, a text or a truth value.
  private static func word(_ name: StaticString, of body: [UInt8]) -> String? {
    var scanner = JSONScanner(body)
    var word: String?
    do throws(JSONFault) {
      try scanner.document { (key: JSONKey, scanner: inout JSONScanner) throws(JSONFault) in
        guard key == name else { return try scanner.skip() }
        if let text = try scanner.stringIfNext() {
          word = text
        } else {
          word = try scanner.boolean().map { $0 ? "true" : "false" }
        }
      }
    } catch { return nil }
    return word
  }

  /// The kinds of messages that are used; those of events have the highest bit.
  private enum Kind: UInt32 {
    case subscribe = 2
    case tree = 4
    case workspaceEvent = 0x8000_0000
    case windowEvent = 0x8000_0003
  }

  private static func message(_ kind: Kind, _ body: [UInt8]) -> [UInt8] {
    var bytes = magic
    bytes.append(native: UInt32(body.count))
    bytes.append(native: kind.rawValue)
    return bytes + body
  }

  private static let magic = Array("i3-ipc".utf8)
  /// Bytes before the body: the magic word, the length, and the kind.
  private static let headLength = 14
  /// Bytes. Chosen: a tree of a thousand windows has about a million.
  private static let longest = 4 << 20
  /// Changes that concern neither which windows there are nor which is focused.
  private static let irrelevant: Set = ["title", "mark", "urgent"]
}
