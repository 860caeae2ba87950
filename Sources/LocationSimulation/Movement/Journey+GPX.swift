import LocationModel
package import LocationProviders

extension Journey {
  /// How long a leg takes whose points have no times (SIM-2).
  package enum Pace: Hashable, Sendable {
    /// Meters per second.
    case speed(Double)
    case interval(Duration)
  }

  /// The way of a GPX file: its tracks, else its routes, else its waypoints (SIM-1, SIM-4).
  ///
  /// A leg lasts as long as its times say, else as the pace does.
  package init(gpx bytes: [UInt8], pace: Pace = .speed(20)) throws(GPXFault) {
    let document = try GPXReader.read(bytes)
    let tracks = document.tracks.flatMap { $0 }.flatMap { $0 }
    let routes = document.routes.flatMap { $0 }
    let points = !tracks.isEmpty ? tracks : !routes.isEmpty ? routes : document.waypoints
    guard let first = points.first else { throw GPXFault(line: 1, cause: .empty) }
    self.init(from: first.coordinate, altitude: first.elevation ?? 0)
    warnings = document.warnings.map { "line \($0.line): \($0.cause)" }
    for (point, next) in zip(points, points.dropFirst()) {
      if let departure = point.time, let arrival = next.time, arrival > departure {
        move(to: next.coordinate, in: arrival - departure, altitude: next.elevation)
        continue
      }
      switch pace {
      case .speed(let speed): move(to: next.coordinate, speed: speed, altitude: next.elevation)
      case .interval(let time): move(to: next.coordinate, in: time, altitude: next.elevation)
      }
    }
  }
}
