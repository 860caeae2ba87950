import LocationEngine
import LocationModel

/// A device on its way, with honest and dishonest providers, in virtual time.
struct ArbitrationWorld {
  /// What a provider does with the truth.
  enum Character: Hashable {
    /// Tells it, with an error of at most the radius.
    case honest(radius: Double, interval: Double)
    /// Is 500 km away and sure of it.
    case liar(interval: Double)
    /// The same, once.
    case liarOnce(at: Double)
    /// Is somewhere else each time, and sure of it.
    case jumper(interval: Double)
    /// Tells where the device was a minute ago, and is sure of it.
    case stale(interval: Double)
  }

  struct Report {
    var at: Double
    var provider: ProviderID
    var fix: Fix
    var isHonest: Bool
  }

  static let home = Coordinate(latitude: 59.33, longitude: 18.07)
  static let begin = UnixTime(seconds: 1_700_000_000)
  /// Meters per second, eastward.
  let speed: Double
  private(set) var reports: [Report] = []

  /// A random world: one to three honest providers, one or two others, in any order.
  init(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let speeds: [Double] = [0, 1.4, 25, 80]
    let speed = speeds.randomElement(using: &random) ?? 0
    var characters: [Character] = (0..<Int.random(in: 1...2, using: &random)).map { _ in
      .honest(
        radius: .random(in: 3...60, using: &random), interval: .random(in: 0.5...2, using: &random))
    }
    for _ in 0..<Int.random(in: 1...2, using: &random) {
      let interval = Double.random(in: 0.2...5, using: &random)
      let others: [Character] = [
        .liar(interval: interval), .liarOnce(at: .random(in: 0...60, using: &random)),
        .jumper(interval: interval), .stale(interval: interval),
      ]
      // Two liars of one mind are a majority, which nobody can tell from the truth.
      let free = others.filter { other in
        if case .liar = other { return !characters.contains { $0.isLiar } }
        if case .liarOnce = other { return !characters.contains { $0.isLiar } }
        return true
      }
      if let other = free.randomElement(using: &random) { characters.append(other) }
    }
    self.init(characters.shuffled(using: &random), speed: speed, random: &random)
  }

  init(_ characters: [Character], speed: Double, random: inout SeededRandom) {
    self.speed = speed
    for (index, character) in characters.enumerated() {
      let phase = Double.random(in: 0...2, using: &random)
      for at in character.times(from: phase, until: 120) {
        let fix = fix(of: character, at: at, random: &random)
        reports.append(
          Report(
            at: at, provider: ProviderID(index), fix: fix, isHonest: character.isHonest))
      }
    }
    reports.sort { ($0.at, $0.provider) < ($1.at, $1.provider) }
  }

  /// Where the device is after so many seconds.
  func truth(at seconds: Double) -> Coordinate {
    Self.home.moved(by: speed * seconds, towards: 90)
  }

  static func moment(_ seconds: Double) -> Moment {
    Moment(uptime: .start + .seconds(seconds), unixTime: begin + .seconds(seconds))
  }

  private func fix(
    of character: Character, at: Double, random: inout SeededRandom
  ) -> Fix {
    switch character {
    case .honest(let radius, _):
      let error = Double.random(in: 0...radius, using: &random)
      let place = truth(at: at).moved(by: error, towards: .random(in: 0..<360, using: &random))
      return Self.fix(place, radius, at)
    case .liar, .liarOnce:
      return Self.fix(truth(at: at).moved(by: 500_000, towards: 200), 1, at)
    case .jumper:
      let far = Double.random(in: 100_000...5_000_000, using: &random)
      let place = truth(at: at).moved(by: far, towards: .random(in: 0..<360, using: &random))
      return Self.fix(place, 1, at)
    case .stale:
      return Self.fix(truth(at: at - 60), 1, at - 60)
    }
  }

  static func fix(_ place: Coordinate, _ radius: Double, _ at: Double) -> Fix {
    Fix(coordinate: place, horizontalAccuracy: radius, time: begin + .seconds(at))
  }
}

extension ArbitrationWorld.Character {
  var isHonest: Bool {
    if case .honest = self { return true }
    return false
  }

  var isLiar: Bool {
    switch self {
    case .liar, .liarOnce: true
    case .honest, .jumper, .stale: false
    }
  }

  fileprivate func times(from phase: Double, until end: Double) -> [Double] {
    switch self {
    case .liarOnce(let at): [at]
    case .honest(_, let interval), .liar(let interval), .jumper(let interval),
      .stale(let interval):
      Array(stride(from: phase, to: end, by: interval))
    }
  }
}
