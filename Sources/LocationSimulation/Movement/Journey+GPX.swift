import LocationModel
package import LocationProviders

extension Journey {
  /// Determines the duration of a leg whose points have no times (SIM-2).
  package enum Pace: Hashable, Sendable {
    /// Meters per second.
    case speed(Double)
    case interval(Duration)
  }

  /// The way of a GPX file: its tracks, else its routes, else its waypoints (SIM-1, SIM-4).
  ///
  /// A leg lasts as long as its times determine, else the pace.
  package init(gpx bytes: [UInt8], pace: Pace = .speed(20)) throws(GPXFault) {
    let document = try GPXReader.read(bytes)
    let tracks = document.tracks.flatMap { $0 }.filter { !$0.isEmpty }
    let routes = document.routes.filter { !$0.isEmpty }
    let segments = !tracks.isEmpty ? tracks : !routes.isEmpty ? routes : [document.waypoints]
    guard var last = segments.first?.first else { throw GPXFault(line: 1, cause: .empty) }
    self.init(from: last.coordinate, altitude: last.elevation ?? 0)
    warnings = document.warnings.map { "line \($0.line): \($0.cause)" }
    for (index, segment) in segments.enumerated() {
      // Between two segments the receiver was off: the way is unknown, and there are no fixes.
      var sky = index > 0 ? Sky.none : .open
      for point in index > 0 ? segment[...] : segment.dropFirst() {
        go(from: last, to: point, pace: pace, sky: sky)
        (last, sky) = (point, .open)
      }
    }
  }

  private mutating func go(from last: GPXPoint, to next: GPXPoint, pace: Pace, sky: Sky) {
    if let departure = last.time, let arrival = next.time, arrival > departure {
      let time = arrival - departure
      return move(to: next.coordinate, in: time, altitude: next.elevation, sky: sky)
    }
    switch pace {
    case .speed(let speed):
      move(to: next.coordinate, speed: speed, altitude: next.elevation, sky: sky)
    case .interval(let time):
      move(to: next.coordinate, in: time, altitude: next.elevation, sky: sky)
    }
  }
}
