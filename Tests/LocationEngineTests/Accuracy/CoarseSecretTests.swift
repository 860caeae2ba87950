import LocationEngine
import LocationModel
import LocationSecrets
import TestSupport
import Testing

/// Tries to learn the secret behind coarse places, or what it will say, from coarse places.
@Suite("The secret behind coarse places")
struct CoarseSecretTests {
  static let zurich = Coordinate(latitude: 47.37, longitude: 8.54)
  static let berlin = Coordinate(latitude: 52.52, longitude: 13.405)
  static let app = AppIdentity("org.example.app")
  static let key = SecretKey(seed: 0x5eed)

  /// A place in each of a thousand and more cells that lie side by side.
  static let somewhere: [Coordinate] = (0..<40).flatMap { row in
    (0..<50).map { Self.zurich.moved(east: Double($0) * 12_000, north: Double(row) * 12_000) }
  }

  // MARK: Inversion

  @Test("border 6: the attack finds the former secret in one place, and with it any other place")
  func formerFunction() throws {
    let secret: UInt64 = 0xfeed_5eed_0123_4567
    let former = FormerGrid(secret: secret)
    let found = try #require(FormerGrid.secret(behind: former.center(at: Self.zurich)))
    #expect(found == secret)
    #expect(FormerGrid(secret: found).center(at: Self.berlin) == former.center(at: Self.berlin))
  }

  @Test("border 6: the same attack finds nothing in a coarse place now")
  func presentFunction() {
    let grid = CoarseGrid(secret: Self.key)
    var points = CoarseLocator(secret: Self.key).points(of: Self.app)
    let cell = grid.cell(at: Self.zurich)
    for place in [points.point(of: cell), grid.center(of: cell)] {
      #expect(FormerGrid.secret(behind: place) == nil)
    }
  }

  // MARK: Prediction

  /// Meters from the center of each cell to the place an app receives there.
  private func offsets(_ app: AppIdentity, _ key: SecretKey = Self.key) -> [(Double, Double)] {
    let grid = CoarseGrid(secret: key)
    var points = CoarseLocator(secret: key).points(of: app)
    return Self.somewhere.map { place in
      let cell = grid.cell(at: place)
      return grid.center(of: cell).planeOffset(to: points.point(of: cell))
    }
  }

  private func spread(_ numbers: [Double]) -> Double {
    (numbers.reduce(0) { $0 + $1 * $1 } / Double(numbers.count)).squareRoot()
  }

  @Test("border 6: a thousand places, and every cell, predict no other place better than chance")
  func prediction() {
    let offsets = offsets(Self.app)
    let (known, next) = (offsets.prefix(1000), offsets.suffix(1000))
    let mean = known.reduce(0) { $0 + $1.0 } / 1000
    // Chance is who guesses the center of the cell, knowing all cells but nothing of this app.
    let chance = spread(next.map(\.0))
    let guesses: [String: [Double]] = [
      "the mean": next.map { $0.0 - mean },
      "the one before": zip(next.dropFirst(), next).map { $0.0 - $1.0 },
      "the row before": zip(offsets.dropFirst(1000), offsets.dropFirst(950)).map { $0.0 - $1.0 },
      "a line through the two before": zip(zip(next.dropFirst(2), next.dropFirst()), next)
        .map { $0.0.0 - 2 * $0.1.0 + $1.0 },
      "the other coordinate": next.map { $0.0 - $0.1 },
    ]
    for (name, errors) in guesses { #expect(spread(errors) > 0.98 * chance, "\(name)") }
    #expect((500...650).contains(chance), "\(chance)")
  }

  @Test("border 6: a thousand rows predict no other row better than chance")
  func rows() {
    let grid = CoarseGrid(secret: Self.key)
    // Where in its cell a fixed meridian lies: what the offset of the row decides.
    let phases = (0..<1400).map { step -> Double in
      let place = Coordinate(latitude: -63 + Double(step) * 0.09, longitude: 8)
      let center = grid.center(of: grid.cell(at: place))
      return center.planeOffset(to: place).0 / CoarseGrid.side
    }
    func error(_ guess: Double, _ truth: Double) -> Double {
      let rest = (guess - truth - (guess - truth).rounded()).magnitude
      return rest
    }
    let known = Array(phases.prefix(1000))
    let next = Array(phases.suffix(400))
    let step = known[1] - known[0]
    for (name, errors) in [
      "the row before": zip(next, next.dropFirst()).map { error($0, $1) },
      "the same step": zip(next, next.dropFirst()).map { error($0 + step, $1) },
      "the first row": next.map { error(known[0], $0) },
    ] {
      let mean = errors.reduce(0, +) / Double(errors.count)
      #expect((0.22...0.28).contains(mean), "\(name): \(mean), by chance 0.25")
    }
  }

  @Test("border 6: times of turns are rounded and predict no other")
  func turns() throws {
    let bench = CoarseLocatorTests.watch(secret: 77, seconds: 40 * 86_400, step: 30) { time in
      Self.zurich.moved(east: 30 * time, north: 0)
    }
    let delays = CoarseLocatorTests.places(bench).map {
      $0.at.seconds(since: .start).truncatingRemainder(dividingBy: 900)
    }
    #expect(delays.count > 3000)
    #expect(delays.dropFirst().allSatisfy { (0...240).contains($0) })
    #expect(delays.dropFirst().allSatisfy { ($0 - $0.rounded(.down) - 0.5).magnitude < 1e-6 })
    let differences = zip(delays, delays.dropFirst()).map { abs($0 - $1) }
    let mean = differences.reduce(0, +) / Double(differences.count)
    // Of two independent times in 240 seconds: a third.
    #expect((72...88).contains(mean), "\(mean)")
  }

  // MARK: Apps, users, and machines

  private func correlation(_ one: [Double], _ other: [Double]) -> Double {
    let count = Double(one.count)
    let (first, second) = (one.reduce(0, +) / count, other.reduce(0, +) / count)
    let product = zip(one, other).reduce(0) { $0 + ($1.0 - first) * ($1.1 - second) }
    return product / count / (spread(one.map { $0 - first }) * spread(other.map { $0 - second }))
  }

  @Test(
    "border 6: another app, and another user's, have other points, which cannot be compared",
    arguments: ["org.example.other", "org.example.app@1001", "org.example.app2", "/opt/app"])
  func otherApps(name: String) {
    let (mine, theirs) = (offsets(Self.app), offsets(AppIdentity(name)))
    #expect(correlation(mine.map(\.0), theirs.map(\.0)).magnitude < 0.08)
    #expect(correlation(mine.map(\.1), theirs.map(\.1)).magnitude < 0.08)
    #expect(zip(mine, theirs).count { $0 == $1 } < 20)
  }

  @Test("border 6: another machine's key gives other cells, other points, and other turns")
  func otherMachines() {
    var random = SeededRandom(seed: 6)
    let keys =
      (0..<100).map { _ in SecretKey(using: &random) } + (0..<100).map { SecretKey(seed: $0) }
    #expect(Set(keys).count == keys.count)
    let centers = keys.map { key in
      let grid = CoarseGrid(secret: key)
      return grid.center(of: grid.cell(at: Self.zurich))
    }
    #expect(Set(centers).count == keys.count)
    let (mine, theirs) = (offsets(Self.app), offsets(Self.app, keys[0]))
    #expect(correlation(mine.map(\.0), theirs.map(\.0)).magnitude < 0.08)
  }

  @Test("border 6: points are rounded, and never further from the center than is stated")
  func bounds() {
    let limit = CoarsePoints.reach + 100
    #expect(offsets(Self.app).allSatisfy { max($0.0.magnitude, $0.1.magnitude) < limit })
    let grid = CoarseGrid(secret: Self.key)
    var points = CoarseLocator(secret: Self.key).points(of: Self.app)
    for latitude in stride(from: -90.0, through: 90, by: 1.3) {
      for longitude in [-180.0, -179.999, -90, 0, 8.54, 179.999, 180] {
        let place = Coordinate(latitude: latitude, longitude: longitude)
        let point = points.point(of: grid.cell(at: place))
        #expect(point.isValid)
        for degrees in [point.latitude, point.longitude] {
          #expect((degrees * 1000).rounded() / 1000 == degrees)
        }
      }
    }
  }

  @Test("border 6: a key tells itself to nobody, and is read back from its own text only")
  func keys() {
    #expect("\(Self.key)" == "‹private›")
    #expect(String(reflecting: Self.key) == "‹private›")
    #expect(SecretKey(hexadecimal: Self.key.hexadecimal) == Self.key)
    for text in ["", "17", "18446744073709551615", String(repeating: "g", count: 64)] {
      #expect(SecretKey(hexadecimal: text) == nil)
    }
    #expect(SecretKey(bytes: [UInt8](repeating: 1, count: 31)) == nil)
  }
}

/// The grid as it was until the audit, whose secret follows from one center.
private struct FormerGrid {
  let secret: UInt64
  private static let height = 10_000 / 111_195.0
  private static let golden: UInt64 = 0x9e37_79b9_7f4a_7c15

  func center(at place: Coordinate) -> Coordinate {
    let offset = Self.fraction(secret, -1)
    let row = Int(((place.latitude + 90) / Self.height + offset).rounded(.down))
    let latitude = (Double(row) + 0.5 - offset) * Self.height - 90
    let columns = Self.columns(latitude)
    let origin = Self.fraction(secret, row)
    let turn = place.longitude / 360 - origin + 1
    let column = ((turn - turn.rounded(.down)) * columns).rounded(.down)
    let east = (origin + (column + 0.5) / columns) * 360
    return Coordinate(latitude: latitude, longitude: east > 180 ? east - 360 : east)
  }

  private static func columns(_ latitude: Double) -> Double {
    (360 * 111_195.0 * cosine(latitude * .pi / 180) / 10_000).rounded(.down)
  }

  private static func fraction(_ secret: UInt64, _ index: Int) -> Double {
    Double(mixed(secret, index) >> 11) * 0x1p-53
  }

  /// SplitMix64.
  private static func mixed(_ secret: UInt64, _ index: Int) -> UInt64 {
    var word = secret &+ UInt64(bitPattern: Int64(index)) &* 0x1_0000_0001 &+ golden
    word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
    word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
    return word ^ (word >> 31)
  }

  /// The secret that explains a center; `nil` when none does.
  static func secret(behind center: Coordinate) -> UInt64? {
    let rows = (center.latitude + 90) / height - 0.5
    let row = rows.rounded(.up)
    let columns = columns(center.latitude)
    // The latitude shows the row offset but for its last bits; they are tried, all of them.
    let shown = UInt64(((row - rows) * 0x1p53).rounded())
    let width: UInt64 = 6_000
    let seen = center.longitude / 360 * columns - 0.5
    let number = UInt64(bitPattern: Int64(row)) &* 0x1_0000_0001 &+ golden
    for high in (shown > width ? shown - width : 0)...(shown + width) {
      for low in 0..<2048 as Range<UInt64> {
        var word = high << 11 | low
        word = (word ^ (word >> 31) ^ (word >> 62)) &* 0x3196_42b2_d24d_8ec3
        word = (word ^ (word >> 27) ^ (word >> 54)) &* 0x96de_1b17_3f11_9089
        let secret = (word ^ (word >> 30) ^ (word >> 60)) &- golden &+ 0x1_0000_0001
        word = secret &+ number
        word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
        word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
        let phase = Double((word ^ (word >> 31)) >> 11) * 0x1p-53 * columns - seen
        if (phase - phase.rounded()).magnitude < 1e-8,
          (FormerGrid(secret: secret).center(at: center).longitude - center.longitude).magnitude
            < 1e-11
        {
          return secret
        }
      }
    }
    return nil
  }
}

extension Coordinate {
  /// Meters to the east and to the north, on a small plane.
  fileprivate func planeOffset(to other: Coordinate) -> (Double, Double) {
    let perDegree = 111_195.0
    return (
      (other.longitude - longitude) * perDegree * cosine(latitude * .pi / 180),
      (other.latitude - latitude) * perDegree
    )
  }
}
