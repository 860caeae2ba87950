internal import LocationModel

/// One field of all fixes, written from fix to fix in few bytes and without loss.
///
/// Receivers send decimal numbers, in degrees and minutes, knots, or meters. A number that is an
/// exact multiple of one of these units is written as a difference in units; one of the last other
/// numbers by its position among them; any other as it is.
struct NumberTrack: Sendable {
  private var unit = NumberUnit.all[0]
  /// The last number in this unit.
  private var units: Int64 = 0
  /// Numbers that are no multiple of a unit, the newest last.
  private var unknownSenders: [UInt64] = []

  private static let whole: UInt64 = 0
  private static let newUnit: UInt64 = 1
  private static let again: UInt64 = 2
  /// The first value that stands for a difference.
  private static let nothingNew: UInt64 = 3
  private static let remembered = 512

  /// Returns the number in the current unit that is nearest to a calculated one.
  func nearest(to value: Double) -> Double { unit.nearest(to: value) ?? value }

  mutating func write(_ value: Double, to bytes: inout ByteWriter) {
    if let count = unit.count(in: value) {
      bytes.append(number: Self.nothingNew + Self.zigzag(count &- units))
      units = count
    } else if let place = unknownSenders.lastIndex(of: value.bitPattern) {
      bytes.append(number: Self.again)
      bytes.append(number: UInt64(unknownSenders.count - 1 - place))
    } else if let (finer, count) = NumberUnit.fitting(value) {
      bytes.append(number: Self.newUnit)
      bytes.append(finer.number)
      bytes.append(signed: count)
      (unit, units) = (finer, count)
    } else {
      bytes.append(number: Self.whole)
      bytes.append(word: value.bitPattern)
      remember(value.bitPattern)
    }
  }

  mutating func read(
    from scanner: inout RecordingScanner
  ) throws(RecordingFault) -> Double {
    let token = try scanner.number()
    switch token {
    case Self.whole:
      let pattern: UInt64 = try scanner.word()
      remember(pattern)
      return Double(bitPattern: pattern)
    case Self.newUnit:
      let number = try scanner.byte()
      guard Int(number) < NumberUnit.all.count else { throw .damaged }
      unit = NumberUnit.all[Int(number)]
      units = try scanner.signed()
    case Self.again:
      let place = try scanner.number()
      guard place < unknownSenders.count else { throw .damaged }
      return Double(bitPattern: unknownSenders[unknownSenders.count - 1 - Int(place)])
    default:
      let zigzag = token - Self.nothingNew
      units &+= Int64(bitPattern: zigzag >> 1) ^ -Int64(bitPattern: zigzag & 1)
    }
    return unit.value(of: units)
  }

  private mutating func remember(_ pattern: UInt64) {
    if unknownSenders.count == Self.remembered { unknownSenders.removeFirst() }
    unknownSenders.append(pattern)
  }

  /// Puts the sign in the lowest bit; differences of counts are far from the limits.
  private static func zigzag(_ difference: Int64) -> UInt64 {
    UInt64(bitPattern: difference << 1 ^ difference >> 63)
  }
}

/// A unit in which receivers count, and the exact calculation that turns a count into a number.
struct NumberUnit: Sendable {
  /// Its index in the list, as written.
  let number: UInt8
  private let kind: Kind
  private let scale: Double

  private enum Kind: Sendable {
    case decimals, printedMinutes, minutes, knots, deviations, circles
  }

  /// Coarser units come first. The order is part of the format.
  static let all: [NumberUnit] = {
    let kinds: [(Kind, Range<Int>)] = [
      (.decimals, 0..<8), (.printedMinutes, 3..<7), (.decimals, 8..<10), (.minutes, 0..<8),
      (.knots, 0..<4), (.deviations, 0..<5), (.circles, 0..<5),
    ]
    let units = kinds.flatMap { kind, digits in digits.map { (kind, $0) } }
    return units.enumerated().map { place, unit in
      NumberUnit(
        number: UInt8(place), kind: unit.0, scale: (0..<unit.1).reduce(1) { ten, _ in ten * 10 })
    }
  }()

  func value(of count: Int64) -> Double {
    let count = Double(count)
    return switch kind {
    case .decimals: count / scale
    // A receiver's minutes of arc, as gpsd prints them: in degrees with nine decimals.
    case .printedMinutes: (count / (60 * scale) * 1e9).rounded() / 1e9
    case .minutes: count / (60 * scale)
    case .knots: count / scale * 1852 / 3600
    // gpsd's figures at 95 %, converted to one standard deviation and to the 68 % circle.
    case .deviations: count / scale / 1.960
    case .circles: count / scale / (2.4477 / 1.5096)
    }
  }

  /// Returns the count of this unit in a number; `nil` when it is not an exact multiple.
  func count(in value: Double) -> Int64? {
    guard let count = nearestCount(to: value) else { return nil }
    return self.value(of: count).bitPattern == value.bitPattern ? count : nil
  }

  /// Returns the nearest number in this unit; `nil` beyond what can be counted.
  func nearest(to value: Double) -> Double? {
    nearestCount(to: value).map { self.value(of: $0) }
  }

  private func nearestCount(to value: Double) -> Int64? {
    let estimate = (value / size).rounded()
    return estimate.magnitude < 0x1p52 ? Int64(estimate) : nil
  }

  /// The size of one unit, not rounded as its numbers are.
  private var size: Double { kind == .printedMinutes ? 1 / (60 * scale) : value(of: 1) }

  /// Returns the first unit in the list of which a number is an exact multiple.
  static func fitting(_ value: Double) -> (NumberUnit, Int64)? {
    for unit in all {
      if let count = unit.count(in: value) { return (unit, count) }
    }
    return nil
  }
}
