internal import LocationModel

/// The fixes of a recording, each written as its difference from a prediction by the fix before.
struct FixTrack: Sendable {
  private var last = Fix(
    coordinate: Coordinate(latitude: 0, longitude: 0), horizontalAccuracy: 0,
    time: UnixTime(nanoseconds: 0))
  private var provider = ProviderID(0)
  /// Nanoseconds between the last two fixes.
  private var step: Int64 = 0
  /// Meters of mean sea level above the ellipsoid, from the last fix.
  private var undulation = 0.0
  private var numbers = [NumberTrack](repeating: NumberTrack(), count: Field.allCases.count)

  /// The fields of the last fix that were written.
  private var lastMask: UInt64 = 0

  /// Fields that may differ; a field's bit is set when it does. The most frequent ones come first.
  enum Field: Int, CaseIterable {
    case latitude, longitude, altitude, speed, course, horizontalAccuracy, courseAccuracy
    case ellipsoidalAltitude, verticalAccuracy, speedAccuracy, time
    /// Which values are present, the floor, the origin, and the provider.
    case shape

    var bit: UInt64 { 1 << UInt64(rawValue) }
  }

  private static let optional: [(Field, any WritableKeyPath<Fix, Double?> & Sendable)] = [
    (.altitude, \.altitude), (.ellipsoidalAltitude, \.ellipsoidalAltitude),
    (.verticalAccuracy, \.verticalAccuracy), (.speed, \.speed),
    (.speedAccuracy, \.speedAccuracy), (.course, \.course), (.courseAccuracy, \.courseAccuracy),
  ]

  // MARK: Writing

  mutating func write(_ fix: Fix, from provider: ProviderID, to bytes: inout ByteWriter) {
    let mask = mask(of: fix, from: provider)
    bytes.append(number: mask == lastMask ? Self.again : mask + 1)
    lastMask = mask
    if mask & Field.shape.bit != 0 {
      bytes.append(number: Self.shape(of: fix))
      bytes.append(number: UInt64(provider.index))
      if let floor = fix.floor { bytes.append(signed: Int64(floor)) }
    }
    if mask & Field.time.bit != 0 {
      bytes.append(signed: fix.time.nanoseconds &- foretoldTime)
    }
    put(.latitude, fix.coordinate.latitude, mask, &bytes)
    put(.longitude, fix.coordinate.longitude, mask, &bytes)
    put(.horizontalAccuracy, fix.horizontalAccuracy, mask, &bytes)
    for (field, path) in Self.optional {
      if let value = fix[keyPath: path] { put(field, value, mask, &bytes) }
    }
    remember(fix, from: provider)
  }

  /// Returns the fields to write: the same as for the fix before, if they cover all changes with at
  /// most two fields more; else only the changed ones.
  private func mask(of fix: Fix, from provider: ProviderID) -> UInt64 {
    let changed = changed(in: fix, from: provider)
    let idle = lastMask & ~changed
    let isEnough = changed & ~lastMask == 0 && idle & Field.shape.bit == 0
    return isEnough && idle.nonzeroBitCount <= 2 ? lastMask : changed
  }

  /// Returns the fields of a fix that differ from the prediction.
  private func changed(in fix: Fix, from provider: ProviderID) -> UInt64 {
    var mask: UInt64 = 0
    func compare(_ field: Field, _ value: Double, _ expected: Double?) {
      if value.bitPattern != expected?.bitPattern { mask |= field.bit }
    }
    if Self.shape(of: fix) != Self.shape(of: last) || fix.floor != last.floor
      || provider != self.provider
    {
      mask |= Field.shape.bit
    }
    if fix.time.nanoseconds != foretoldTime { mask |= Field.time.bit }
    compare(.latitude, fix.coordinate.latitude, last.coordinate.latitude)
    compare(.longitude, fix.coordinate.longitude, last.coordinate.longitude)
    compare(.horizontalAccuracy, fix.horizontalAccuracy, last.horizontalAccuracy)
    for (field, path) in Self.optional {
      guard let value = fix[keyPath: path] else { continue }
      compare(field, value, expected(field, path, like: fix))
    }
    return mask
  }

  private mutating func put(
    _ field: Field, _ value: Double, _ mask: UInt64, _ bytes: inout ByteWriter
  ) {
    if mask & field.bit != 0 { numbers[field.rawValue].write(value, to: &bytes) }
  }

  // MARK: Reading

  mutating func read(
    from scanner: inout RecordingScanner
  ) throws(RecordingFault) -> (Fix, ProviderID) {
    let mask = try mask(from: &scanner)
    var fix = last
    var provider = provider
    if mask & Field.shape.bit != 0 {
      let shape = try scanner.number()
      provider = ProviderID(Int(truncatingIfNeeded: try scanner.number() & 0xffff))
      for (place, (_, path)) in Self.optional.enumerated() {
        fix[keyPath: path] = shape >> UInt64(place) & 1 == 1 ? fix[keyPath: path] ?? 0 : nil
      }
      fix.origin = Fix.Origin(
        isSimulated: shape & Self.simulated != 0, isAccessory: shape & Self.accessory != 0,
        method: try Self.method(in: shape))
      fix.floor = nil
      if shape & Self.onFloor != 0 { fix.floor = Int(truncatingIfNeeded: try scanner.signed()) }
    }
    fix.time = UnixTime(nanoseconds: foretoldTime)
    if mask & Field.time.bit != 0 { fix.time.nanoseconds &+= try scanner.signed() }
    if let value = try get(.latitude, mask, &scanner) { fix.coordinate.latitude = value }
    if let value = try get(.longitude, mask, &scanner) { fix.coordinate.longitude = value }
    if let value = try get(.horizontalAccuracy, mask, &scanner) { fix.horizontalAccuracy = value }
    for (field, path) in Self.optional where fix[keyPath: path] != nil {
      fix[keyPath: path] =
        try get(field, mask, &scanner) ?? expected(field, path, like: fix)
    }
    guard fix.time.isPlausible else { throw .damaged }
    remember(fix, from: provider)
    return (fix, provider)
  }

  private mutating func mask(
    from scanner: inout RecordingScanner
  ) throws(RecordingFault) -> UInt64 {
    let number = try scanner.number()
    if number != Self.again { lastMask = number - 1 }
    return lastMask
  }

  private mutating func get(
    _ field: Field, _ mask: UInt64, _ scanner: inout RecordingScanner
  ) throws(RecordingFault) -> Double? {
    guard mask & field.bit != 0 else { return nil }
    return try numbers[field.rawValue].read(from: &scanner)
  }

  // MARK: What is expected

  /// Nanoseconds since 1970: the last time plus the last step.
  private var foretoldTime: Int64 { last.time.nanoseconds &+ step }

  /// Predicts a field: the height above the ellipsoid from the altitude, any other as unchanged.
  private func expected(
    _ field: Field, _ path: KeyPath<Fix, Double?>, like fix: Fix
  ) -> Double? {
    switch field {
    case .ellipsoidalAltitude:
      fix.altitude.map { numbers[field.rawValue].nearest(to: $0 + undulation) }
    default: last[keyPath: path]
    }
  }

  private mutating func remember(_ fix: Fix, from provider: ProviderID) {
    step = fix.time.nanoseconds &- last.time.nanoseconds
    if let ellipsoidal = fix.ellipsoidalAltitude, let altitude = fix.altitude {
      // Receivers give tenths of a meter, gpsd at most four decimals; the subtraction has lost the
      // last bits.
      undulation = ((ellipsoidal - altitude) * 10_000).rounded() / 10_000
    }
    last = fix
    self.provider = provider
  }

  private static func shape(of fix: Fix) -> UInt64 {
    var shape: UInt64 = 0
    for (place, (_, path)) in optional.enumerated() where fix[keyPath: path] != nil {
      shape |= 1 << UInt64(place)
    }
    if fix.floor != nil { shape |= onFloor }
    if fix.origin.isSimulated { shape |= simulated }
    if fix.origin.isAccessory { shape |= accessory }
    return shape | UInt64(fix.origin.method.rank) << methodPlace
  }

  private static func method(in shape: UInt64) throws(RecordingFault) -> PositionMethod {
    let rank = Int(shape >> methodPlace & 7)
    guard PositionMethod.allCases.indices.contains(rank) else { throw .damaged }
    return PositionMethod.allCases[rank]
  }

  /// Written in place of a mask: the mask is the same as before.
  private static let again: UInt64 = 0
  private static let onFloor: UInt64 = 1 << 7
  private static let simulated: UInt64 = 1 << 8
  private static let accessory: UInt64 = 1 << 9
  /// Three bits from here on are the method.
  private static let methodPlace: UInt64 = 10
}
