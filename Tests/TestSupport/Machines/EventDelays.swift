package import LocationFleet
package import LocationModel

/// How long after its fix each event of a fleet has come, by the times of the broker.
package struct EventDelays {
  package struct Delay {
    /// As a part of a subject.
    package var tenant: String
    /// When the fix came.
    package var begin: UnixTime
    package var seconds: Double
  }

  private var begins: [Int: [UInt64: UnixTime]] = [:]
  package private(set) var all: [Delay] = []

  package init() {}

  /// Takes a message of the fixes, all of a partition before its events, or one of the events. A fix came at the
  /// time of its message, or at another one that is known.
  package mutating func take(_ message: LogMessage, of log: FleetLog, begin: UnixTime? = nil) {
    switch log {
    case .fixes(let partition):
      begins[partition, default: [:]][message.sequence] = begin ?? message.time
    case .events(let partition):
      let parts = message.entry.subject.split(separator: ".")
      // Marks are no events.
      guard parts.count == 5, let mark = message.entry.mark,
        let begin = begins[partition]?[mark.input]
      else { return }
      let seconds = message.time.seconds(since: begin)
      all.append(Delay(tenant: String(parts[2]), begin: begin, seconds: seconds))
    default: break
    }
  }
}
