package import LocationModel

/// Gives the region of the computer's time zone, once at the start.
///
/// It waits for nothing and is asked for nothing: the engine keeps the region for requests that accept
/// any position, and gives it to them when no source has one.
struct ZoneDriver: SourceDriver {
  private enum State: Hashable, Sendable {
    case idle
    /// The link is read; so many bytes of it have come.
    case reading([UInt8])
    case done
  }

  private var state = State.idle

  var rejections: [SourceRejection] { [] }
  var nextDeadline: Instant? { nil }

  mutating func handle(_ input: SourceInput, at now: Moment) -> [SourceOutput] {
    switch (input, state) {
    case (.stored, .idle):
      state = .reading([])
      return [.status(.searching), .open(.timeZone)]
    case (.channel(.bytes(let bytes)), .reading(let before)):
      state = .reading(Array((before + bytes).prefix(Self.longest)))
      return []
    case (.channel(.closed(let end)), .reading(let bytes)):
      state = .done
      guard end == .ended else { return [.status(.unavailable(end.reason))] }
      return find(String(decoding: bytes, as: UTF8.self), at: now)
    case (.stored, _), (.channel, _), (.demand, _), (.kernel, _), (.scan, _), (.wake, _):
      return []
    }
  }

  private func find(_ target: String, at now: Moment) -> [SourceOutput] {
    guard let zone = TimeZonePlace(linkTarget: target) else {
      return [.status(.unavailable(.missing("the time zone of this computer names no place")))]
    }
    let fix = Fix(
      coordinate: zone.center, horizontalAccuracy: zone.radius, time: now.unixTime,
      origin: Fix.Origin(method: .region))
    return [.status(.working), .fix(fix)]
  }

  /// Bytes: the longest path of Linux.
  private static let longest = 4096
}

/// Where the people of a time zone live.
package struct TimeZonePlace: Hashable, Sendable {
  package var center: Coordinate
  /// Meters that hold 68 % of them.
  package var radius: Double

  /// Finds a zone by the target of the link that names it; `nil` for one without a place, such as UTC.
  package init?(linkTarget: String) {
    guard let folder = linkTarget.firstPlace(of: "zoneinfo/") else { return nil }
    var name = linkTarget[folder.upperBound...]
    for prefix in ["posix/", "right/"] where name.hasPrefix(prefix) {
      name = name.dropFirst(prefix.count)
    }
    self.init(name: String(name))
  }

  /// Finds a zone by its name, such as `Europe/Berlin`.
  package init?(name: String) {
    for row in ZoneTable.rows.split(separator: ";") {
      let fields = row.split(separator: " ")
      guard fields.count == 4, fields[0] == name else { continue }
      guard let latitude = Double(fields[1]), let longitude = Double(fields[2]),
        let kilometers = Double(fields[3])
      else { return nil }
      center = Coordinate(latitude: latitude, longitude: longitude)
      radius = kilometers * 1000
      return
    }
    return nil
  }
}
