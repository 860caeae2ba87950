internal import LocationModel

/// The choices of a sequence: the bytes of an input while there are any, then numbers of a generator.
///
/// The first two bytes are its seed. So a short input is a long sequence, and one byte more changes one choice.
struct Choices {
  private var bytes: ArraySlice<UInt8>
  private var random: SeededRandom

  init(_ input: [UInt8]) {
    bytes = input.dropFirst(2)
    random = SeededRandom(seed: input.prefix(2).reduce(0) { $0 << 8 | UInt64($1) })
  }

  /// A number below 256.
  private mutating func byte() -> Int {
    let next = random.next()
    return Int(bytes.popFirst() ?? UInt8(truncatingIfNeeded: next))
  }

  /// A number below another one, which is at most 256.
  mutating func below(_ end: Int) -> Int { byte() * end / 256 }

  mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

  mutating func one<Value>(of values: [Value]) -> Value { values[below(values.count)] }

  /// Where something special is, or near it: the poles, the antimeridian, and the origin; and a street.
  mutating func place() -> Coordinate {
    let latitude = one(of: [
      90, 89.999_99, 84.999_9, 85.000_1, 48.5, 0, -0.0, .leastNonzeroMagnitude, -48.5, -84.999_9,
      -89.999_99, -90,
    ])
    let longitude = one(of: [
      180, 179.999_99, 9.25, 0, -0.0, .leastNonzeroMagnitude, -179.999_99, -180, 90, -90,
    ])
    return near(Coordinate(latitude: latitude, longitude: longitude))
  }

  /// Within some meters or kilometers of a place, or there.
  mutating func near(_ place: Coordinate) -> Coordinate {
    let distance = one(of: [0, 0, 0.001, 2, 10, 90, 700, 20_000])
    return distance == 0 ? place : place.moved(by: distance, towards: Double(below(256)) * 1.5)
  }

  /// Meters or other numbers above zero that programs may say.
  mutating func size() -> Double {
    one(of: [5, 8, 15, 30, 65, 1500, 0.001, .leastNonzeroMagnitude, 1e-200, 1e6, 20_037_508])
  }

  /// A fix of a receiver, or of something that claims to be one.
  mutating func fix(at coordinate: Coordinate, _ time: UnixTime) -> Fix {
    var fix = Fix(
      coordinate: coordinate, horizontalAccuracy: chance(80) ? 5 : size(), time: time)
    if chance(50) { fix.speed = one(of: [0, 0.4, 1.4, 30, 11_200]) }
    if chance(50) { fix.course = one(of: [0, 90, 180, 359.999_999]) }
    if chance(30) {
      (fix.altitude, fix.verticalAccuracy) = (one(of: [0, 480, -6_378_137]), size())
    }
    return fix
  }
}

/// The time of a sequence: uptime only grows, and the date may jump.
struct FuzzClock {
  private(set) var now = Moment.piece(0)

  /// Lets some time pass; at most until what is due, where that is given.
  mutating func pass(_ choices: inout Choices, due: Instant? = nil) {
    let seconds = choices.one(of: [0, 0.1, 1, 1, 1, 5, 60, 900, 86_400])
    var uptime = now.uptime + .seconds(seconds)
    if let due, choices.chance(50) { uptime = max(now.uptime, min(uptime, due)) }
    var date = now.unixTime + (uptime - now.uptime)
    if choices.chance(2) { date = date + .seconds(choices.one(of: [-86_400, -7, 7, 86_400])) }
    now = Moment(uptime: uptime, unixTime: date)
  }
}

extension Fix {
  /// Ends the process unless this is a fix as its documentation says.
  func check(_ cause: String) {
    guard coordinate.isValid, horizontalAccuracy > 0, horizontalAccuracy.isFinite else {
      fatalError("\(cause): \(coordinate.latitude) \(coordinate.longitude) \(horizontalAccuracy)")
    }
  }
}
