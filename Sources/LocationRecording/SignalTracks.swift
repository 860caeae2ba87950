internal import LocationModel

/// The samples of compasses, each written as its difference from the one before.
struct HeadingTrack: Sendable {
  private var numbers = [NumberTrack](repeating: NumberTrack(), count: 6)
  private var time: Int64 = 0

  private static let hasAccuracy: UInt64 = 1
  private static let hasField: UInt64 = 2
  private static let hasInclination: UInt64 = 4

  mutating func write(
    _ sample: HeadingSample, from provider: ProviderID, to bytes: inout ByteWriter
  ) {
    let shape =
      (sample.accuracy == nil ? 0 : Self.hasAccuracy)
      | (sample.field == nil ? 0 : Self.hasField)
      | (sample.inclination == nil ? 0 : Self.hasInclination)
    bytes.append(number: shape | UInt64(provider.index) << 3)
    bytes.append(signed: sample.time.nanoseconds &- time)
    time = sample.time.nanoseconds
    let values = [
      sample.magneticHeading, sample.accuracy, sample.field?.x, sample.field?.y, sample.field?.z,
      sample.inclination,
    ]
    for (place, value) in values.enumerated() {
      if let value { numbers[place].write(value, to: &bytes) }
    }
  }

  mutating func read(
    from scanner: inout RecordingScanner
  ) throws(RecordingFault) -> (HeadingSample, ProviderID) {
    let shape = try scanner.number()
    time &+= try scanner.signed()
    let heading = try numbers[0].read(from: &scanner)
    var sample = HeadingSample(
      magneticHeading: heading, accuracy: nil, time: UnixTime(nanoseconds: time))
    if shape & Self.hasAccuracy != 0 { sample.accuracy = try numbers[1].read(from: &scanner) }
    if shape & Self.hasField != 0 {
      let x = try numbers[2].read(from: &scanner)
      let y = try numbers[3].read(from: &scanner)
      sample.field = DeviceVector(x: x, y: y, z: try numbers[4].read(from: &scanner))
    }
    if shape & Self.hasInclination != 0 {
      sample.inclination = try numbers[5].read(from: &scanner)
    }
    return (sample, ProviderID(Int(shape >> 3 & 0xffff)))
  }
}

/// The samples of beacons; each time is written as its difference from the one before.
struct BeaconTrack: Sendable {
  private var time: Int64 = 0

  /// Writes the adapter first, where there is one: such a sample is of a kind of its own.
  mutating func write(_ sample: BeaconSample, to bytes: inout ByteWriter) {
    if let adapter = sample.adapter { bytes.append(word: adapter.bits) }
    bytes.append(word: sample.identity.uuid.high)
    bytes.append(word: sample.identity.uuid.low)
    bytes.append(word: sample.identity.major)
    bytes.append(word: sample.identity.minor)
    bytes.append(word: sample.address.bits)
    bytes.append(signed: Int64(sample.measuredPower))
    bytes.append(sample.rssi == nil ? 0 : 1)
    if let rssi = sample.rssi { bytes.append(signed: Int64(rssi)) }
    bytes.append(signed: sample.time.nanoseconds &- time)
    time = sample.time.nanoseconds
  }

  mutating func read(
    from scanner: inout RecordingScanner, hasAdapter: Bool
  ) throws(RecordingFault) -> BeaconSample {
    let adapter = hasAdapter ? BluetoothAddress(bits: try scanner.word()) : nil
    let high: UInt64 = try scanner.word()
    let uuid = BeaconUUID(high: high, low: try scanner.word())
    let major: UInt16 = try scanner.word()
    let identity = BeaconIdentity(uuid: uuid, major: major, minor: try scanner.word())
    let address = BluetoothAddress(bits: try scanner.word())
    let power = Int(truncatingIfNeeded: try scanner.signed())
    let isMeasured = try scanner.byte() != 0
    let rssi = isMeasured ? Int(truncatingIfNeeded: try scanner.signed()) : nil
    time &+= try scanner.signed()
    return BeaconSample(
      identity: identity, address: address, measuredPower: power, rssi: rssi,
      time: UnixTime(nanoseconds: time), adapter: adapter)
  }
}
