import LocationFleet
import LocationModel
import LocationProviders

/// Feeds lines of fixes to a fleet, and gives its events device by device.
///
/// Events wait until their device has ended, so that their order does not depend on how the devices
/// are mixed.
struct FleetReplay {
  struct Settings {
    var fleet = FleetDevice.Settings()
    var until: UnixTime?
    var isGrouped = false
    var accuracy = FleetLine.standardAccuracy
    var mostDevices = 1_000_000
    /// Bytes of events that may wait.
    var mostWaiting = 1 << 30
  }

  /// A line or a fix that was not used.
  struct Rejection {
    var line: Int
    var reason: String
  }

  private var fleet: Fleet
  private let settings: Settings
  private var waiting: [FleetDeviceName: String] = [:]
  private var waitingBytes = 0
  private var current: FleetDeviceName?
  private var finished: Set<FleetDeviceName> = []
  private(set) var lines = 0
  private(set) var fixes = 0
  /// Fixes with a corrected date.
  private(set) var corrected = 0
  private(set) var events = 0
  private(set) var devices = 0
  private(set) var rejected: [String: Int] = [:]
  /// Fixes that were read, and then not used.
  private var unused = 0

  init(_ fences: FleetFences, _ settings: Settings) {
    self.settings = settings
    fleet = Fleet(fences, settings.fleet, mostDevices: settings.mostDevices)
  }

  /// Takes the next line; returns what can be printed, and calls `report` for what is rejected.
  mutating func take(
    _ line: [UInt8], _ report: (Rejection) -> Void
  ) throws(Failure) -> String {
    lines += 1
    guard line.contains(where: { $0 > 0x20 }) else { return "" }
    let parsed: FleetLine?
    do throws(FleetLine.Reason) {
      parsed = try FleetLine(line, accuracy: settings.accuracy)
    } catch {
      reject(error.rawValue, report, text: error.text)
      return ""
    }
    guard let parsed else { return "" }
    let name = FleetDeviceName(tenant: parsed.tenant, device: parsed.device)
    var printed = ""
    if settings.isGrouped, name != current {
      guard !finished.contains(name) else {
        reject("ungrouped", report)
        return ""
      }
      printed = endCurrent()
      current = name
    }
    guard
      let outcome = fleet.take(
        parsed.fix, of: name, group: parsed.group, received: parsed.received)
    else {
      reject("surplus", report)
      return printed
    }
    fixes += 1
    if outcome.isCorrected { corrected += 1 }
    unused += outcome.rejected.count
    for reason in outcome.rejected { reject(reason.rawValue, report) }
    keep(outcome.events, of: name)
    guard waitingBytes <= settings.mostWaiting else {
      throw .refused(
        "line \(lines): more than \(settings.mostWaiting) bytes of events wait for their devices",
        next: "group the lines by device (sort) and use --grouped, or split the file")
    }
    return printed
  }

  /// Ends every device, in the order of their names.
  mutating func finish(_ print: (String) -> Void) {
    print(endCurrent())
    for name in fleet.names { print(end(name)) }
  }

  private mutating func endCurrent() -> String {
    guard settings.isGrouped, let name = current else { return "" }
    current = nil
    finished.insert(name)
    return end(name)
  }

  private mutating func end(_ name: FleetDeviceName) -> String {
    keep(fleet.end(name, until: settings.until), of: name)
    devices += 1
    let text = waiting.removeValue(forKey: name) ?? ""
    waitingBytes -= text.utf8.count
    return text
  }

  private mutating func keep(_ found: [FleetEvent], of name: FleetDeviceName) {
    guard !found.isEmpty else { return }
    events += found.count
    let text = String(
      decoding: found.flatMap { FleetEventLine.encoded($0, of: name) }, as: UTF8.self)
    waitingBytes += text.utf8.count
    waiting[name, default: ""] += text
  }

  private mutating func reject(
    _ reason: String, _ report: (Rejection) -> Void, text: String? = nil
  ) {
    rejected[reason, default: 0] += 1
    report(Rejection(line: lines, reason: text ?? reason))
  }

  /// Whether there was something, and all of it was rejected.
  ///
  /// - Chosen (FLEET-135): that is a fault, as of a file of another format.
  var isAllRejected: Bool { !rejected.isEmpty && fixes <= unused }

  /// What it all came to.
  var summary: String {
    let reasons = rejected.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
    let ahead = corrected > 0 ? " (\(corrected) corrected)" : ""
    return "\(lines) lines, \(devices) devices, \(fixes) fixes\(ahead), \(events) events; "
      + "rejected: " + (reasons.isEmpty ? "none" : reasons.joined(separator: ", "))
  }
}
