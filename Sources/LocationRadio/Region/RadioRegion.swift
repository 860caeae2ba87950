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

  /// Whether it is smaller than another one, and not only as what is learned makes it grow and shrink.
  func isClearlySmaller(than other: RadioRegion) -> Bool {
    radius < (1 - Self.slack) * other.radius
  }

  /// The part of its radius by which a region may differ from the one before. Chosen.
  private static let slack = 0.2
}

/// Which region each radio of each source has, and which of them are to be passed on: of each source one.
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

  /// What the cell of one radio says.
  private struct Entry: Hashable, Sendable {
    var key: Key
    /// `nil` for a network that says nothing of the place.
    var region: RadioRegion?
    /// Whether the radio receives nothing at present.
    var isQuiet = false
  }

  /// By source and radio, at most ``mostRadios`` of a source.
  private var entries: [ProviderID: [String: Entry]] = [:]
  /// What was passed on last, and of which radio.
  private var passed: [ProviderID: (radio: String, region: RadioRegion)] = [:]
  /// What is to be passed on; `nil` withdraws a region.
  private var waiting: [(fix: Fix?, provider: ProviderID)] = []
  /// When something is to be passed on; `nil` while nothing is.
  private(set) var due: Instant?

  /// Returns whether a radio's cell was in other areas, or another country, before, or it received nothing.
  func isNew(_ key: Key, _ radio: String, of provider: ProviderID) -> Bool {
    let entry = entries[provider]?[radio]
    return entry?.key != key || entry?.isQuiet ?? false
  }

  /// Returns the region that a source gives; `nil` where it gives none.
  func given(of provider: ProviderID) -> RadioRegion? { passed[provider]?.region }

  /// Notes the region of a radio; `nil` for a network that says nothing of the place. What the source gives is passed
  /// on if it is another than before, and withdrawn if it gives none any more (RADIO-84).
  mutating func note(
    _ region: RadioRegion?, by key: Key, _ radio: String, of provider: ProviderID,
    at now: Moment
  ) {
    let known = entries[provider, default: [:]]
    guard known[radio] != nil || known.count < Self.mostRadios else { return }
    entries[provider, default: [:]][radio] = Entry(key: key, region: region)
    settle(provider, at: now)
  }

  /// A radio that receives nothing counts only while no other one gives a region; one that is gone is forgotten.
  mutating func silence(
    _ radio: String, of provider: ProviderID, isGone: Bool, at now: Moment
  ) {
    guard entries[provider]?[radio] != nil else { return }
    if isGone { entries[provider]?[radio] = nil } else { entries[provider]?[radio]?.isQuiet = true }
    settle(provider, at: now)
  }

  /// Passes on what a source gives now, if it is another region than before.
  private mutating func settle(_ provider: ProviderID, at now: Moment) {
    let before = passed[provider]
    guard let (radio, region) = choice(of: provider) else {
      passed[provider] = nil
      if before != nil { passOn(nil, of: provider, now.uptime) }
      return
    }
    if let before, region.isLike(before.region) {
      passed[provider]?.radio = radio
      return
    }
    passed[provider] = (radio, region)
    let fix = Fix(
      coordinate: region.center, horizontalAccuracy: region.radius, time: now.unixTime,
      origin: Fix.Origin(method: .region))
    passOn(fix, of: provider, now.uptime)
  }

  /// The smallest region of a source's radios, of two of one size that of the first radio. The radio that gave the last
  /// one stays until another one's is clearly smaller, so that two of about one size do not alternate (RADIO-85).
  private func choice(of provider: ProviderID) -> (radio: String, region: RadioRegion)? {
    let known = entries[provider, default: [:]].sorted { $0.key < $1.key }
      .filter { $0.value.region != nil }
    let receiving = known.filter { !$0.value.isQuiet }
    let candidates = (receiving.isEmpty ? known : receiving).compactMap { radio, entry in
      entry.region.map { (radio: radio, region: $0) }
    }
    let least = candidates.min { ($0.region.radius, $0.radio) < ($1.region.radius, $1.radio) }
    let last = candidates.first { $0.radio == passed[provider]?.radio }
    guard let least, let last, !least.region.isClearlySmaller(than: last.region) else {
      return least
    }
    return last
  }

  private mutating func passOn(_ fix: Fix?, of provider: ProviderID, _ now: Instant) {
    waiting.removeAll { $0.provider == provider }
    waiting.append((fix, provider))
    due = now
  }

  /// Forgets the regions of a source that gives none any more: with its next scan there may be another.
  mutating func forget(_ provider: ProviderID) {
    (entries[provider], passed[provider]) = (nil, nil)
    waiting.removeAll { $0.provider == provider }
  }

  /// Forgets the regions of all sources, since what is known of areas has become less.
  ///
  /// - Returns: what withdraws those that were passed on.
  mutating func clear() -> [RadioMap.Output] {
    defer { self = RadioRegions() }
    return passed.keys.sorted().map { .noRegion($0) }
  }

  /// Returns what is to be passed on, each once.
  mutating func take() -> [RadioMap.Output] {
    defer { (waiting, due) = ([], nil) }
    return waiting.map { fix, provider in
      fix.map { .fix($0, from: provider) } ?? .noRegion(provider)
    }
  }

  /// Chosen: no computer has more modems.
  private static let mostRadios = 8
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
