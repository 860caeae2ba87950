internal import LocationModel

/// Where a computer is by the network of its cell, for requests that accept any position.
struct RadioRegion: Hashable, Sendable {
  enum Kind: Hashable, Sendable {
    /// The location or tracking area of the cell.
    case area
    /// The country of the network.
    case country
  }

  var kind: Kind
  var center: Coordinate
  /// Meters, at 68 % confidence.
  var radius: Double

  /// Why there is no position where this is all that is known.
  var silence: RadioSilence { kind == .area ? .areaOnly : .countryOnly }

  /// Whether it says the same as another one: what is learned of an area moves its middle a little each time.
  func isLike(_ other: RadioRegion) -> Bool {
    guard kind == other.kind else { return false }
    let way = LocalFrame(center: center).chord(to: other.center)
    return way + abs(radius - other.radius) <= Self.slack * radius
  }

  /// The part of its radius by which a region may differ from the one before. Chosen.
  private static let slack = 0.2
}

/// Which region each source has, and which of them are to be passed on.
///
/// A region is no answer to a scan: others are still asked, and costlier sources are still needed. So it
/// comes with the next wake.
struct RadioRegions: Sendable {
  /// What decides the region of a cell.
  struct Key: Hashable, Sendable {
    /// The areas of the cells, that of the serving cell first.
    var areas: [RadioStationID]
    /// The mobile country code.
    var country: Int
  }

  private var keys: [ProviderID: Key] = [:]
  /// What was passed on last.
  private var passed: [ProviderID: RadioRegion] = [:]
  /// What is to be passed on; `nil` withdraws a region.
  private var waiting: [(fix: Fix?, provider: ProviderID)] = []
  /// When something is to be passed on; `nil` while nothing is.
  private(set) var due: Instant?

  /// Returns whether a source's cell was in other areas, or another country, before.
  func isNew(_ key: Key, of provider: ProviderID) -> Bool { keys[provider] != key }

  /// Notes the region of a source, which is passed on if it is another than before; `nil`, for a network that says
  /// nothing of the place, withdraws the one before (RADIO-84).
  mutating func note(
    _ region: RadioRegion?, by key: Key, from provider: ProviderID, at time: UnixTime,
    _ now: Instant
  ) {
    keys[provider] = key
    let before = passed[provider]
    guard let region else {
      passed[provider] = nil
      if before != nil { passOn(nil, of: provider, now) }
      return
    }
    guard before.map({ !region.isLike($0) }) ?? true else { return }
    passed[provider] = region
    let fix = Fix(
      coordinate: region.center, horizontalAccuracy: region.radius, time: time,
      origin: Fix.Origin(method: .region))
    passOn(fix, of: provider, now)
  }

  private mutating func passOn(_ fix: Fix?, of provider: ProviderID, _ now: Instant) {
    waiting.removeAll { $0.provider == provider }
    waiting.append((fix, provider))
    due = now
  }

  /// Forgets the region of a source that gives none any more: with its next scan there may be another.
  mutating func forget(_ provider: ProviderID) {
    (keys[provider], passed[provider]) = (nil, nil)
    waiting.removeAll { $0.provider == provider }
  }

  /// Returns what is to be passed on, each once.
  mutating func take() -> [RadioMap.Output] {
    defer { (waiting, due) = ([], nil) }
    return waiting.map { fix, provider in
      fix.map { .fix($0, from: provider) } ?? .noRegion(provider)
    }
  }
}

extension RadioScan {
  /// The cells whose identities are known, the serving one first.
  var cells: [CellIdentity] {
    func cells(serving: Bool) -> [CellIdentity] {
      readings.compactMap { reading in
        guard reading.isServing == serving, case .cell(let cell) = reading.transmitter else {
          return nil
        }
        return cell
      }
    }
    return cells(serving: true) + cells(serving: false)
  }
}
