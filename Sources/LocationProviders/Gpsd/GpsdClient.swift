package import LocationModel

/// Speaks gpsd's JSON protocol over a byte stream.
///
/// The host opens and closes the stream on request, and passes its events in. After
/// ``Output/connect`` it answers with ``Input/connected`` or ``Input/closed(_:)``.
package struct GpsdClient: Machine {
  package enum Input: MachineInput {
    /// The stream is open.
    case connected
    /// The next bytes, cut anywhere.
    case bytes([UInt8])
    /// The stream is closed, or could not be opened.
    case closed(reason: String)
    case wake
  }

  package enum Output: Sendable, Hashable {
    case connect
    /// Close the stream; the client will request a new one.
    case disconnect
    case send([UInt8])
    case fix(Fix, device: String?)
    case attitude(GpsdAttitude)
    /// All receivers that gpsd knows, sorted by path, whenever they change.
    case devices([GpsdDevice])
    case status(Status)
    /// A line or solution that was not used, and why.
    case rejected(GpsdRejection, device: String?)
  }

  /// The state of the connection, for a person.
  package enum Status: Sendable, Hashable {
    /// The server has sent its version. Protocol 3 is the one that is supported.
    case serving(release: String, protocolMajor: Int, protocolMinor: Int)
    /// The receiver works and has no solution (`mode` 0 or 1); sent when that begins.
    case noFix(device: String?)
    /// The receiver has a solution again; sent when that begins.
    case solving(device: String?)
    /// The connection is gone; a new one is asked for at `retryAt`.
    case lost(reason: String, retryAt: Instant)
    /// An error message of the server.
    case complaint(String)
  }

  private enum State: Sendable {
    /// Not connected. A wake at `until` asks for a connection.
    case waiting(until: Instant)
    /// A connection has been requested from the host.
    case connecting
    /// Connected; the server must send its version before `until`.
    case greeting(until: Instant)
    /// Reports arrive, the last at `receivedAt`; `isProbed` when the silent server has been probed.
    case watching(receivedAt: Instant, isProbed: Bool)
  }

  /// Bytes. gpsd's own buffer for a report is 10 KB.
  package static let longestLine = 65_536
  /// Chosen: the first wait before a new connection, doubled each time up to the longest.
  static let firstBackoff = Duration.seconds(1)
  static let longestBackoff = Duration.seconds(64)
  /// Chosen: gpsd greets at once.
  static let greetingTimeout = Duration.seconds(5)
  /// Chosen: a server that is silent this long is probed, and disconnected if it stays silent.
  static let silence = Duration.seconds(30)
  static let probeTimeout = Duration.seconds(10)

  private static let watch = Array("?WATCH={\"enable\":true,\"json\":true};\n".utf8)
  private static let probe = Array("?VERSION;\n".utf8)

  private var state = State.waiting(until: .start)
  /// Connections lost since the last greeting.
  private var failures = 0
  private var lines = LineAssembler(limit: GpsdClient.longestLine)
  private var receivers = GpsdReceivers()

  package init() {}

  /// Creates a client that reads a log, which may begin without a greeting, from a moment on.
  init(readingLogFrom begin: Instant) { state = .watching(receivedAt: begin, isProbed: false) }

  /// The last satellite counts of a receiver; `nil` until one sends some.
  package var satellites: SatelliteSummary? { receivers.satellites }

  /// The satellites that a receiver has sent last.
  package var sky: [Satellite] { receivers.sky }

  package var nextDeadline: Instant? { earliest(connectionDeadline, receivers.nextDeadline) }

  private var connectionDeadline: Instant? {
    switch state {
    case .waiting(let until), .greeting(let until): until
    case .connecting: nil
    case .watching(let receivedAt, let isProbed):
      receivedAt + Self.silence + (isProbed ? Self.probeTimeout : .zero)
    }
  }

  package mutating func handle(_ input: Input, at now: Moment) -> [Output] {
    switch input {
    case .connected:
      lines.reset()
      state = .greeting(until: now.uptime + Self.greetingTimeout)
      return []
    case .bytes(let bytes):
      return take(bytes, at: now.uptime)
    case .closed(let reason):
      if case .waiting = state { return [] }
      return lose(reason, at: now.uptime)
    case .wake:
      return receivers.wake(at: now.uptime) + wakeConnection(at: now.uptime)
    }
  }

  // MARK: Connection

  private mutating func wakeConnection(at now: Instant) -> [Output] {
    guard let deadline = connectionDeadline, now >= deadline else { return [] }
    switch state {
    case .waiting:
      state = .connecting
      return [.connect]
    case .connecting:
      return []
    case .greeting:
      return [.disconnect] + lose("the server does not introduce itself as gpsd", at: now)
    case .watching(let receivedAt, isProbed: false):
      state = .watching(receivedAt: receivedAt, isProbed: true)
      return [.send(Self.probe)]
    case .watching:
      return [.disconnect] + lose("the server has fallen silent", at: now)
    }
  }

  private mutating func lose(_ reason: String, at now: Instant) -> [Output] {
    let wait = min(Self.firstBackoff * (1 << min(failures, 6)), Self.longestBackoff)
    failures += 1
    state = .waiting(until: now + wait)
    lines.reset()
    return receivers.removeAll() + [.status(.lost(reason: reason, retryAt: now + wait))]
  }

  // MARK: Reports

  private mutating func take(_ bytes: [UInt8], at now: Instant) -> [Output] {
    switch state {
    case .waiting, .connecting: return []
    case .greeting: break
    case .watching: state = .watching(receivedAt: now, isProbed: false)
    }
    var complete: [LineAssembler.Line] = []
    lines.append(bytes) { complete.append($0) }
    return complete.flatMap { line -> [Output] in
      switch line {
      case .tooLong: [.rejected(.lineTooLong, device: nil)]
      case .line(let bytes): takeLine(bytes, at: now)
      }
    }
  }

  private mutating func takeLine(_ line: [UInt8], at now: Instant) -> [Output] {
    do {
      return take(try GpsdReport.parse(line), line, at: now)
    } catch {
      return [.rejected(.malformed(error), device: nil)]
    }
  }

  private mutating func take(
    _ report: GpsdReport, _ line: [UInt8], at now: Instant
  ) -> [Output] {
    switch report.kind {
    case "VERSION": greet(report, at: now)
    case "ERROR": [.status(.complaint(report.message))]
    case "": [.rejected(.unclassified, device: nil)]
    default: receivers.take(report, line, at: now)
    }
  }

  private mutating func greet(_ report: GpsdReport, at now: Instant) -> [Output] {
    guard case .greeting = state else { return [] }
    state = .watching(receivedAt: now, isProbed: false)
    failures = 0
    let serving = Status.serving(
      release: report.release, protocolMajor: report.protocolMajor ?? 0,
      protocolMinor: report.protocolMinor ?? 0)
    return [.status(serving), .send(Self.watch)]
  }
}

/// The attitude of a device.
package struct GpsdAttitude: Hashable, Sendable {
  package var device: String?
  package var time: UnixTime?
  /// Degrees from true and from magnetic north, in `0..<360`; `nil` when unknown.
  package var trueHeading, magneticHeading: Double?
  /// Degrees; `nil` when unknown.
  package var pitch, roll: Double?
}
