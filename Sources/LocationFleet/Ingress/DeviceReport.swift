internal import LocationCoding
package import LocationModel
internal import LocationProviders

/// What a device has sent, as fixes of the fleet: OwnTracks, Traccar, gpsd, or the fleet's own lines,
/// distinguished by their members (docs/formats/fleet.md).
///
/// - Chosen (FLEET-30): a fix has the coordinate and the date that were sent, or there is none.
package struct DeviceReport: Hashable, Sendable {
  /// Why something gives no fix.
  package enum Reason: String, CaseIterable, Comparable, Error, Sendable {
    /// No JSON object, or no parameters of a query.
    case malformed
    case tooLong
    /// More than ``mostFixes`` lines.
    case tooMany
    /// It names another device than the one that has sent it.
    case device
    /// It came at a topic of MQTT that is of no device.
    case topic
    /// No date, or none that can be read.
    case date
    /// No coordinate, or none on earth.
    case coordinate
    /// An accuracy, a speed, or an altitude that nothing on or near the earth has (FLEET-150).
    case range
    /// Dated before the year 2000: a receiver without the time.
    case clock
    /// Dated 1024 weeks before it came: a receiver that counts the weeks of GPS from 0 again.
    case rollover
    /// Dated more than ``longestAhead`` after it came.
    case future
    /// The device says that it has no position.
    case noPosition
    /// Another kind of message than a position, such as a transition or a card of OwnTracks.
    case other

    package static func < (left: Reason, right: Reason) -> Bool { left.rawValue < right.rawValue }
  }

  /// Bytes of what a device sends at once.
  package static let longest = 65_536
  package static let mostFixes = 1000
  /// Bytes of a message of the stream, which takes ``longest``.
  private static let longestMessage = 60_000
  /// Seconds. Chosen: a clock in another zone than it believes is less ahead, and the worker, which goes by the
  /// servers' clock, judges what is ahead by less.
  package static let longestAhead = 86_400.0

  /// Lines of fixes, joined to messages that the stream takes.
  package private(set) var messages: [[UInt8]] = []
  package private(set) var fixes = 0
  package private(set) var rejected: [Reason: Int] = [:]
  /// When it came; `nil` where the clock is not set, and then nothing is of the future.
  private let came: UnixTime?

  /// Reads the body of a message; the group is what the device's owner says, and not the device.
  package init(
    _ bytes: [UInt8], of name: FleetDeviceName, group: String? = nil, at now: UnixTime? = nil
  ) {
    self.init(bytes, of: ReportingDevice(name, group: group), at: now)
  }

  init(_ bytes: [UInt8], of device: ReportingDevice, at now: UnixTime?) {
    came = Self.known(now)
    read(bytes, device)
  }

  /// A clock that is not set would make every fix one of the future, and an acknowledged fix does not come again.
  private static func known(_ now: UnixTime?) -> UnixTime? {
    now.flatMap { $0 >= Uplink.firstDate ? $0 : nil }
  }

  private mutating func read(_ bytes: [UInt8], _ device: ReportingDevice) {
    // OwnTracks clears a retained message by one without bytes.
    guard bytes.contains(where: { $0 > 0x20 }) else { return }
    guard bytes.count <= Self.longest else { return reject(.tooLong) }
    if let whole = ReportMembers(bytes) { return take(whole, device) }
    let lines = bytes.split { $0 == UInt8(ascii: "\n") }.filter { $0.contains { $0 > 0x20 } }
    guard lines.count > 1 else { return reject(.malformed) }
    for (index, line) in lines.enumerated() {
      guard index < Self.mostFixes else { return reject(.tooMany, lines.count - index) }
      guard let members = ReportMembers(Array(line)) else {
        reject(.malformed)
        continue
      }
      take(members, device)
    }
  }

  /// Reads the parameters of a query, as OsmAnd and Traccar Client send them.
  package init(
    query: [(name: String, value: String)], of name: FleetDeviceName, group: String? = nil,
    at now: UnixTime? = nil
  ) {
    self.init(query: query, of: ReportingDevice(name, group: group), at: now)
  }

  init(query: [(name: String, value: String)], of device: ReportingDevice, at now: UnixTime?) {
    came = Self.known(now)
    do throws(Reason) {
      try add(TraccarQuery(query).fix(of: device.name.device), device)
    } catch { reject(error) }
  }

  /// The device that a body says it is of, in its first line.
  package static func claim(_ bytes: [UInt8]) -> String? {
    guard bytes.count <= longest else { return nil }
    if let whole = ReportMembers(bytes) { return whole.claim }
    let line = bytes.split(maxSplits: 1) { $0 == UInt8(ascii: "\n") }.first
    return line.flatMap { ReportMembers(Array($0)) }?.claim
  }

  private mutating func take(_ members: ReportMembers, _ device: ReportingDevice) {
    do throws(Reason) {
      guard members.isOf(device.name) else { throw .device }
      try add(members.fix(), device)
    } catch { reject(error) }
  }

  private mutating func reject(_ reason: Reason, _ count: Int = 1) {
    rejected[reason, default: 0] += count
  }

  private mutating func add(_ fix: ReportedFix, _ device: ReportingDevice) throws(Reason) {
    guard fix.time >= FixOrder.earliest else { throw .clock }
    if let came, FixOrder.isRolledOver(fix.time, received: came) { throw .rollover }
    if let came, fix.time.seconds(since: came) > Self.longestAhead { throw .future }
    let line = fix.line(device.head)
    fixes += 1
    if let last = messages.indices.last,
      messages[last].count + line.count < Self.longestMessage
    {
      messages[last].append(UInt8(ascii: "\n"))
      messages[last] += line
    } else {
      messages.append(line)
    }
  }
}

/// A position as a device has sent it. What it does not say is `nil`.
struct ReportedFix: Hashable, Sendable {
  let time: UnixTime
  let coordinate: Coordinate
  /// Meters, above 0; 0 and less are unknown, never exact.
  let accuracy: Double?
  var altitude: Double?
  /// Meters per second.
  let speed: Double?
  let course: Double?

  init(
    time: UnixTime?, latitude: Double?, longitude: Double?, accuracy: Double? = nil,
    altitude: Double? = nil, speed: Double? = nil, course: Double? = nil
  ) throws(DeviceReport.Reason) {
    guard let time else { throw .date }
    guard let latitude, let longitude else { throw .coordinate }
    coordinate = Coordinate(latitude: latitude, longitude: longitude)
    guard coordinate.isValid else { throw .coordinate }
    self.time = time
    self.accuracy = Self.known(accuracy, from: .leastNonzeroMagnitude)
    self.altitude = altitude.flatMap { $0.isFinite ? $0 : nil }
    self.speed = Self.known(speed, from: 0)
    self.course = Self.known(course, from: 0)
    guard
      FleetLine.isInRange(accuracy: self.accuracy, speed: self.speed, altitude: self.altitude)
    else { throw .range }
  }

  private static func known(_ number: Double?, from least: Double) -> Double? {
    number.flatMap { $0.isFinite && $0 >= least ? $0 : nil }
  }

  /// A line that begins as the device's lines do.
  func line(_ head: [UInt8]) -> [UInt8] {
    var line = head
    line.reserveCapacity(head.count + 192)
    line += #","date":""#.utf8
    line.append(iso8601: time)
    line.append(UInt8(ascii: "\""))
    func add(_ key: StaticString, _ number: Double?) {
      guard let number else { return }
      key.withUTF8Buffer { line += $0 }
      // A whole number as one: without a point.
      line += (Int(exactly: number).map { "\($0)" } ?? "\(number)").utf8
    }
    add(#","latitude":"#, coordinate.latitude)
    add(#","longitude":"#, coordinate.longitude)
    add(#","horizontal_accuracy":"#, accuracy)
    add(#","altitude":"#, altitude)
    add(#","speed":"#, speed)
    add(#","course":"#, course)
    line.append(UInt8(ascii: "}"))
    return line
  }
}

/// A device that reports, with what all of its messages begin with.
struct ReportingDevice: Sendable {
  let name: FleetDeviceName
  /// The beginning of its lines, without the brace at the end.
  let head: [UInt8]

  /// The group is what the device's owner says, and not the device.
  init(_ name: FleetDeviceName, group: String?) {
    self.name = name
    var line = JSONLine(type: "fix")
    if !name.tenant.isEmpty { line.add("tenant", name.tenant) }
    line.add("device", name.device)
    line.add("group", group)
    head = Array(line.text.utf8.dropLast())
  }
}
