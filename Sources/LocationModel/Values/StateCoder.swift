/// Writes the state of detectors as bytes, or reads it back, exactly: every bit of every number.
///
/// One walk over the fields does both, so that what is written and what is read cannot differ. Dates
/// are written as differences from the one before, as most are whole seconds apart, and numbers by what
/// sets them apart from one of those before, as most are of places near one another. Flags are bits: eight
/// have one byte, which lies where the first of them does.
package struct StateCoder: Sendable {
  package private(set) var bytes: [UInt8]
  package let isReading: Bool
  /// Whether what is read was written without ``expect(_:)``, in another order, and with a longer checksum.
  package let isOfEarlierForm: Bool
  /// Whether bytes were missing or meaningless: what was read must not be used.
  package private(set) var isDamaged = false
  private var position = 0
  /// The date or uptime before, in nanoseconds: of those that a unit divides, as their differences do.
  private var latest: Int64 = 0
  /// The last one that no unit divides.
  private var odd: Int64 = 0
  /// The bits of the numbers before: detectors have many in common.
  private var recent: [UInt64] = []
  /// Which of them is overwritten next, once there are all.
  private var oldest = 0
  /// The bytes of the checksum at the end.
  private var ending: Int { isOfEarlierForm ? 8 : 4 }
  /// The byte of the last flags: where it lies, its bits (those read already are 0), and the bit of the
  /// next flag, 0 where that needs another byte.
  private var flags: (place: Int, bits: UInt8, next: UInt8) = (0, 0, 0)

  /// Begins to write.
  package init(isOfEarlierForm: Bool = false) {
    bytes = []
    bytes.reserveCapacity(1024)
    recent.reserveCapacity(Self.mostRecent)
    (isReading, self.isOfEarlierForm) = (false, isOfEarlierForm)
  }

  /// Reads what `sealed` has made, here or in an earlier version; `nil` where the bytes have changed since.
  package init?(sealed bytes: [UInt8], isOfEarlierForm: Bool) {
    self.bytes = bytes
    recent.reserveCapacity(Self.mostRecent)
    (isReading, self.isOfEarlierForm) = (true, isOfEarlierForm)
    guard bytes.count > ending else { return nil }
    let isWhole = withUnsafeBytes(of: checksum(bytes.count - ending)) {
      $0.prefix(ending).elementsEqual(bytes.suffix(ending))
    }
    guard isWhole else { return nil }
  }

  /// What was written, and a checksum: a disk may have damaged it.
  package var sealed: [UInt8] {
    var copy: [UInt8] = []
    copy.reserveCapacity(bytes.count + ending)
    copy += bytes
    withUnsafeBytes(of: checksum(bytes.count)) { copy += $0.prefix(ending) }
    return copy
  }

  /// FNV-1a of 64 bits over words of eight bytes, and over the bytes that are left; its first bytes, as they lie
  /// in memory, stand for all of it.
  private func checksum(_ count: Int) -> UInt64 {
    var sum: UInt64 = 0xcbf2_9ce4_8422_2325
    var place = 0
    while place + 8 <= count {
      sum = (sum ^ word(at: place)) &* 0x100_0000_01b3
      sum ^= sum >> 32
      place += 8
    }
    while place < count {
      sum = (sum ^ UInt64(bytes[place])) &* 0x100_0000_01b3
      place += 1
    }
    return (isOfEarlierForm ? sum : sum ^ sum >> 32).littleEndian
  }

  private func word(at place: Int) -> UInt64 {
    bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: place, as: UInt64.self) }
  }

  /// Whether all bytes were read, and all had a meaning.
  package var isComplete: Bool {
    !isDamaged && position == bytes.count - ending && flags.bits == 0
  }

  /// Marks what was read as meaningless.
  package mutating func reject() { isDamaged = true }

  private mutating func next() -> UInt8 {
    guard !isDamaged, position < bytes.count - ending else {
      isDamaged = true
      return 0
    }
    defer { position += 1 }
    return bytes[position]
  }
}

// MARK: - Values

extension StateCoder {
  package mutating func pass(_ byte: inout UInt8) {
    if isReading { byte = next() } else { bytes.append(byte) }
  }

  /// One byte says how many bytes follow, the highest first, or which of the recent numbers it is, or
  /// with how many of whose first bytes it begins; bytes of zero at the end are left out.
  package mutating func pass(_ number: inout Double) {
    if isReading { number = Double(bitPattern: read()) } else { write(number.bitPattern) }
  }

  /// Notes a number that follows from what was passed: the same one is then written as one byte, and one
  /// near it in few.
  package mutating func expect(_ number: Double) {
    if !isOfEarlierForm { note(number.bitPattern) }
  }

  private mutating func write(_ bits: UInt64) {
    let (age, difference) = nearest(to: bits)
    if difference == 0 { return bytes.append(UInt8(Self.longest + age)) }
    let length = Self.longest - bits.trailingZeroBitCount / 8
    let shared = min(difference.leadingZeroBitCount / 8, Self.mostShared)
    if age <= Self.mostNear, shared >= Self.leastShared, Self.longest - shared < length {
      let place = (age - 1) * Self.waysToShare + shared - Self.leastShared
      bytes.append(UInt8(Self.firstNear + place))
      write(bits, shared..<Self.longest)
      return note(bits)
    }
    bytes.append(UInt8(length))
    write(bits, 0..<length)
    if length > 1 { note(bits) }
  }

  private mutating func write(_ bits: UInt64, _ places: Range<Int>) {
    for place in places { bytes.append(UInt8(truncatingIfNeeded: bits >> (56 - 8 * place))) }
  }

  private mutating func read() -> UInt64 {
    let head = Int(next())
    var (bits, places): (UInt64, Range<Int>) = (0, 0..<head)
    if head >= Self.firstNear {
      let (age, way) = (head - Self.firstNear).quotientAndRemainder(dividingBy: Self.waysToShare)
      let shared = way + Self.leastShared
      guard let near = number(ofAge: age + 1) else { return refuse() }
      bits = near & (UInt64.max << (64 - 8 * UInt64(shared)))
      places = shared..<Self.longest
    } else if head > Self.longest {
      return number(ofAge: head - Self.longest) ?? refuse()
    }
    for place in places { bits |= UInt64(next()) << (56 - 8 * place) }
    if head > 1 { note(bits) }
    return bits
  }

  private mutating func refuse() -> UInt64 {
    isDamaged = true
    return 0
  }

  private mutating func note(_ bits: UInt64) {
    if recent.count < Self.mostRecent { return recent.append(bits) }
    recent[oldest] = bits
    oldest = (oldest + 1) % Self.mostRecent
  }

  /// The recent number that begins with most of the same bits: how many numbers ago it was written,
  /// from 1, and in which bits it differs; in all where there is none.
  private func nearest(to bits: UInt64) -> (age: Int, difference: UInt64) {
    var (nearest, difference) = (0, UInt64.max)
    for (place, number) in recent.enumerated() where number ^ bits < difference {
      (nearest, difference) = (place, number ^ bits)
    }
    let turn = (oldest + Self.mostRecent - 1 - nearest) % Self.mostRecent
    let age = recent.count < Self.mostRecent ? recent.count - nearest : turn + 1
    return (age, difference)
  }

  private func number(ofAge age: Int) -> UInt64? {
    guard (1...Self.mostRecent).contains(age), age <= recent.count else { return nil }
    guard recent.count == Self.mostRecent else { return recent[recent.count - age] }
    return recent[(oldest + Self.mostRecent - age) % Self.mostRecent]
  }

  /// Bytes of a number.
  private static let longest = 8
  /// Numbers that can be named by a byte; also what writing looks through. Chosen.
  private static let mostRecent = 48
  /// The bytes that a number may share with one of the recent, and how recent that must be: each pair
  /// is one of the bytes that are left.
  private static let (leastShared, mostShared, mostNear) = (2, 6, 39)
  private static let waysToShare = mostShared - leastShared + 1
  private static let firstNear = longest + mostRecent + 1

  package mutating func pass(_ number: inout UInt64) {
    guard isReading else {
      var rest = number
      while rest >= 0x80 {
        bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
        rest >>= 7
      }
      bytes.append(UInt8(rest))
      return
    }
    number = 0
    for shift in stride(from: 0 as UInt64, to: 70, by: 7) {
      let byte = next()
      number |= UInt64(byte & 0x7f) << shift
      if byte < 0x80 { return }
    }
    isDamaged = true
  }

  package mutating func pass(_ number: inout Int64) {
    var folded = UInt64(bitPattern: number &<< 1 ^ number &>> 63)
    pass(&folded)
    number = Int64(bitPattern: folded >> 1) ^ -Int64(bitPattern: folded & 1)
  }

  package mutating func pass(_ number: inout Int) {
    var wide = Int64(number)
    pass(&wide)
    number = Int(wide)
  }

  package mutating func pass(_ flag: inout Bool) {
    if flags.next == 0 { beginFlags() }
    let bit = flags.next
    flags.next = bit << 1
    if isReading {
      flag = flags.bits & bit != 0
      flags.bits &= ~bit
    } else if flag {
      flags.bits |= bit
      bytes[flags.place] = flags.bits
    }
  }

  private mutating func beginFlags() {
    if isReading {
      if flags.bits != 0 { isDamaged = true }
      flags = (0, next(), 1)
    } else {
      flags = (bytes.count, 0, 1)
      bytes.append(0)
    }
  }

  package mutating func pass(_ time: inout UnixTime) { pass(nanoseconds: &time.nanoseconds) }

  package mutating func pass(_ instant: inout Instant) { pass(nanoseconds: &instant.nanoseconds) }

  private mutating func pass(nanoseconds: inout Int64) {
    var difference = nanoseconds &- latest
    if isReading { difference = readDifference() } else { write(difference: difference) }
    nanoseconds = latest &+ difference
    if !isOfEarlierForm, difference % Self.units[2] != 0 {
      // The next whole date would be odd beside it.
      odd = nanoseconds
    } else {
      latest = nanoseconds
    }
  }

  /// Writes nanoseconds in the largest unit that gives a whole number, with the number of the unit in the two
  /// lowest bits; 3 says that nanoseconds follow, 7 that the date is the last one of these, and 11 that they
  /// are counted from that.
  private mutating func write(difference: Int64) {
    for (number, unit) in Self.units.enumerated() where difference % unit == 0 {
      let whole = difference / unit
      var folded = UInt64(bitPattern: whole << 1 ^ whole >> 63) << 2 | UInt64(number)
      return pass(&folded)
    }
    var difference = difference
    if !isOfEarlierForm {
      var near = latest &+ difference &- odd
      guard near != 0 else { return bytes.append(7) }
      if near.magnitude < difference.magnitude {
        bytes.append(11)
        return pass(&near)
      }
    }
    bytes.append(3)
    pass(&difference)
  }

  private mutating func readDifference() -> Int64 {
    var (folded, difference): (UInt64, Int64) = (0, 0)
    pass(&folded)
    guard folded & 3 < 3 else {
      switch folded {
      case 3: pass(&difference)
      case 7 where !isOfEarlierForm: difference = odd &- latest
      case 11 where !isOfEarlierForm:
        pass(&difference)
        difference = difference &+ odd &- latest
      default: isDamaged = true
      }
      return difference
    }
    let whole = Int64(bitPattern: folded >> 3) ^ -Int64(bitPattern: folded >> 2 & 1)
    let (product, overflows) = whole.multipliedReportingOverflow(by: Self.units[Int(folded & 3)])
    if overflows { isDamaged = true }
    return product
  }

  /// Nanoseconds of a second, a millisecond, and a microsecond.
  private static let units: [Int64] = [1_000_000_000, 1_000_000, 1000]

  package mutating func pass(_ place: inout Coordinate) {
    pass(&place.latitude)
    pass(&place.longitude)
    if isReading, !place.isValid { isDamaged = true }
  }

  package mutating func pass<Word: CaseIterable & Equatable>(_ word: inout Word) {
    let all = Array(Word.allCases)
    var byte = UInt8(truncatingIfNeeded: all.firstIndex(of: word) ?? 0)
    pass(&byte)
    guard Int(byte) < all.count else { return isDamaged = true }
    word = all[Int(byte)]
  }

  package mutating func pass(_ text: inout String, most: Int) {
    var units = isReading ? [] : Array(text.utf8)
    pass(&units, most: most, blank: 0) { $0.pass(&$1) }
    guard isReading else { return }
    guard let read = String(validating: units, as: UTF8.self) else { return isDamaged = true }
    text = read
  }

  /// Passes a value that may be missing; `blank` is overwritten when one is read.
  package mutating func pass<Value>(
    _ value: inout Value?, blank: @autoclosure () -> Value,
    _ body: (inout StateCoder, inout Value) -> Void
  ) {
    var isThere = value != nil
    pass(&isThere)
    guard isThere else { return value = nil }
    var inner = value ?? blank()
    body(&self, &inner)
    value = inner
  }

  /// Passes values in order; more than `most` of them were not written by this program.
  package mutating func pass<Value>(
    _ values: inout [Value], most: Int, blank: @autoclosure () -> Value,
    _ body: (inout StateCoder, inout Value) -> Void
  ) {
    var count = UInt64(values.count)
    pass(&count)
    guard count <= UInt64(most), !isDamaged else { return isDamaged = true }
    guard isReading else {
      for index in values.indices { body(&self, &values[index]) }
      return
    }
    values = []
    values.reserveCapacity(Int(count))
    for _ in 0..<count where !isDamaged {
      var value = blank()
      body(&self, &value)
      values.append(value)
    }
  }
}
