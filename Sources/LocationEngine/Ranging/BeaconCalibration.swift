package import LocationModel

/// Measures how much more an adapter receives than one beacon claims, while a person stands at one
/// meter and then at three (BEACON-29).
package struct BeaconCalibration: Sendable {
  /// Where the person holds the beacon.
  package enum Place: Hashable, CaseIterable, Sendable {
    case oneMeter, threeMeters

    /// Meters.
    package var distance: Int { self == .oneMeter ? 1 : 3 }
  }

  /// What was heard at one place.
  package struct Summary: Hashable, Sendable {
    /// Seconds in which something was heard.
    package var count: Int
    /// dBm.
    package var median: Double
    /// dB, between the quarters.
    package var spread: Double
  }

  /// Why nothing is stored.
  package enum Refusal: Error, Hashable, Sendable {
    /// Seconds heard at a place, and how many are needed.
    case tooLittle(Place, heard: Int, needed: Int)
    /// dB, between the quarters: the beacon was moved, or people walk between.
    case unsteady(Place, spread: Double)
    /// dB by which three meters were weaker than one.
    case disagree(drop: Double)
    case implausible(Int)
    /// Several beacons match.
    case ambiguous
    /// `bluetoothd` does not say which adapter receives.
    case unnamedAdapter
    /// Another adapter receives than the one that was named, or than at the start.
    case otherAdapter(BluetoothAddress, wanted: BluetoothAddress)
    /// The beacon changed what it claims, in dBm.
    case otherClaim(Int, before: Int)
  }

  /// The adapter that is calibrated: the one named, or the first one that was heard.
  package private(set) var adapter: BluetoothAddress?
  private var identity: BeaconIdentity?
  private var measuredPower: Int?
  private var heard: [Place: [Int]] = [:]
  private let needed: Int

  /// Creates a calibration that needs a number of seconds with a signal at each place.
  package init(of adapter: BluetoothAddress? = nil, needed: Int = Self.usual) {
    self.adapter = adapter
    self.needed = max(needed, Self.least)
  }

  /// Counts the beacons of one report; a second without any signal counts as nothing.
  package mutating func add(
    _ readings: [BeaconRanger.Reading], at place: Place
  ) throws(Refusal) {
    for reading in readings {
      guard let rssi = reading.rssi, Self.audible.contains(rssi) else { continue }
      guard let receiver = reading.adapter else { throw .unnamedAdapter }
      guard identity ?? reading.identity == reading.identity else { throw .ambiguous }
      let wanted = adapter ?? receiver
      guard wanted == receiver else { throw .otherAdapter(receiver, wanted: wanted) }
      let claim = measuredPower ?? reading.measuredPower
      guard claim == reading.measuredPower else {
        throw .otherClaim(reading.measuredPower, before: claim)
      }
      (identity, adapter, measuredPower) = (reading.identity, receiver, claim)
      guard heard[place, default: []].count < Self.most else { continue }
      heard[place, default: []].append(rssi)
    }
  }

  /// What was heard at a place so far; `nil` when nothing was.
  package func summary(at place: Place) -> Summary? {
    let sorted = (heard[place] ?? []).sorted()
    guard !sorted.isEmpty else { return nil }
    let (middle, quarter) = (sorted.count / 2, sorted.count / 4)
    let median =
      sorted.count.isMultiple(of: 2)
      ? Double(sorted[middle - 1] + sorted[middle]) / 2 : Double(sorted[middle])
    return Summary(
      count: sorted.count, median: median,
      spread: Double(sorted[sorted.count - 1 - quarter] - sorted[quarter]))
  }

  /// Whether a place has been heard for long enough.
  package func isComplete(at place: Place) -> Bool { heard[place]?.count ?? 0 >= needed }

  /// Checks what was heard at a place.
  package func check(_ place: Place) throws(Refusal) -> Summary {
    guard let summary = summary(at: place), summary.count >= needed else {
      throw .tooLittle(place, heard: heard[place]?.count ?? 0, needed: needed)
    }
    guard summary.spread <= Self.mostSpread else {
      throw .unsteady(place, spread: summary.spread)
    }
    return summary
  }

  /// Returns the adapter, and by how many dB it receives more at one meter than the beacon claims:
  /// the mean of what both places say of one meter.
  package func result() throws(Refusal) -> (adapter: BluetoothAddress, offset: Int) {
    let one = try check(.oneMeter).median
    let three = try check(.threeMeters).median
    guard Self.drops.contains(one - three) else { throw .disagree(drop: one - three) }
    guard let adapter, let measuredPower else { throw .unnamedAdapter }
    let offset = (one + three + Self.freeSpaceDrop) / 2 - Double(measuredPower)
    guard let offset = Int(exactly: offset.rounded()), AdapterLevels.offsets.contains(offset) else {
      throw .implausible(Int(offset.rounded()))
    }
    return (adapter, offset)
  }

  /// Seconds. Chosen.
  package static let usual = 20
  /// Seconds. Chosen: fewer give no quarters.
  package static let least = 5
  /// Readings of a place. Chosen: more than a person waits for.
  private static let most = 1000
  /// dBm: what a receiver can say of a signal. Chosen.
  private static let audible = -110 ... -10
  /// dB. Chosen: half of what a body in the way costs.
  private static let mostSpread = 10.0
  /// dB from one meter to three: 9.5 in free space; reflections change that by 7 dB. Chosen.
  private static let drops = 2.5...16.5
  /// dB from one meter to three, in free space.
  private static let freeSpaceDrop = 9.542_425_094_393_249
}

extension BeaconCalibration.Refusal: CustomStringConvertible {
  package var description: String {
    switch self {
    case .tooLittle(let place, let heard, let needed):
      "at \(place.distance) m the beacon was heard in \(heard) seconds; \(needed) are needed"
    case .unsteady(let place, let spread):
      "at \(place.distance) m the signal moves by \(Int(spread.rounded())) dB: keep the beacon still, "
        + "and nobody between"
    case .disagree(let drop):
      "three meters were \(Int(drop.rounded())) dB weaker than one; 3 to 16 are possible, so one of the "
        + "two distances was another"
    case .implausible(let offset):
      "\(offset) dB more than the beacon claims is not possible: its claim is wrong"
    case .ambiguous: "several beacons match: name one, by MAJOR and MINOR"
    case .unnamedAdapter: "bluetoothd does not say which adapter received the beacon"
    case .otherAdapter(let other, let wanted):
      "the adapter \(other) receives, and not \(wanted)"
    case .otherClaim(let claim, let before):
      "the beacon claims \(claim) dBm now, and claimed \(before) before"
    }
  }
}
