internal import LocationModel

/// How the one who carries a device shakes it: by steps up to the speed of a runner, by the road
/// beyond.
struct VirtualGait {
  private enum Way {
    case still
    /// Steps in a second, and how far each swings up and down, meters per second squared.
    case steps(rate: Double, swing: Double)
    case ride
  }

  private let way: Way

  /// - Parameter speed: meters per second.
  init(speed: Double) {
    way =
      switch speed {
      case ..<0.3: .still
      case ..<2.2: .steps(rate: 1.4 + 0.3 * speed, swing: 2)
      case ..<5: .steps(rate: 2.7, swing: 4.5)
      default: .ride
      }
  }

  /// Meters per second squared, upwards.
  func swing(at date: UnixTime) -> Double {
    guard case .steps(let rate, let swing) = way else { return 0 }
    // The time within the hour, as a sine of billions of turns is none.
    let seconds = Double(date.nanoseconds % 3_600_000_000_000) / 1e9
    let turn = seconds * rate
    return swing * sin(Angle(degrees: 360 * (turn - turn.rounded(.down))))
  }

  /// Meters per second squared, root mean square of each axis: the chip of docs/decisions/0023 at
  /// rest, the seat of a car on the way.
  var shaking: Double {
    switch way {
    case .still, .steps: 0.1
    case .ride: 0.5
    }
  }
}
