internal import LocationModel

/// Where a simulated device is at each time: the points of a file, placed on a time line.
package struct TrackPath: Sendable {
  /// A point and the time it is reached.
  struct Stop: Sendable {
    var point: GPXPoint
    /// Seconds since the path began, at the file's own pace.
    var offset: Double
    /// There is no travel to the next stop: a gap between two segments.
    var endsSegment = false
  }

  /// How points without time are paced.
  package enum Pace: Hashable, Sendable {
    /// Meters per second along the way.
    case speed(Double)
    /// Seconds from each point to the next.
    case interval(Double)

    /// Chosen (SIM-2): as `simctl` moves.
    package static let standard = Pace.speed(20)
  }

  private(set) var stops: [Stop] = []

  /// The tracks of a file; its routes when it has no tracks; else its waypoints (SIM-1, SIM-4).
  ///
  /// A leg lasts as long as its times say. Where a time is missing, or does not advance, the leg
  /// gets its duration from `pace` instead (SIM-2).
  package init(_ document: GPXDocument, pace: Pace = .standard) {
    let tracks = document.tracks.flatMap { $0 }.filter { !$0.isEmpty }
    let routes = document.routes.filter { !$0.isEmpty }
    let segments = !tracks.isEmpty ? tracks : !routes.isEmpty ? routes : [document.waypoints]
    for segment in segments {
      for point in segment { append(point, pace: pace) }
      if !stops.isEmpty { stops[stops.count - 1].endsSegment = true }
    }
  }

  package var isEmpty: Bool { stops.isEmpty }

  /// Seconds from the first stop to the last.
  package var duration: Double { stops.last?.offset ?? 0 }

  /// The same path in the other direction, at the same pace.
  package var reversed: TrackPath {
    var path = self
    path.stops = stops.indices.reversed().map { index in
      let endsSegment = index == 0 || stops[index - 1].endsSegment
      var stop = Stop(
        point: stops[index].point, offset: duration - stops[index].offset, endsSegment: endsSegment)
      // The recorded course is that of the other direction.
      stop.point.course = stop.point.course.map { normalizedDegrees($0 + 180) }
      return stop
    }
    return path
  }

  private mutating func append(_ point: GPXPoint, pace: Pace) {
    guard let last = stops.last else { return stops.append(Stop(point: point, offset: 0)) }
    let leg = Leg(from: last.point, to: point)
    let seconds = leg.recordedSeconds ?? leg.seconds(at: pace)
    stops.append(Stop(point: point, offset: last.offset + seconds))
  }
}

/// A straight line from one point to the next, travelled at constant speed (SIM-1).
struct Leg {
  let start: GPXPoint
  let end: GPXPoint
  /// Degrees; the longitude the shorter way round, across the antimeridian if need be.
  private let north: Double
  private let east: Double

  init(from start: GPXPoint, to end: GPXPoint) {
    self.start = start
    self.end = end
    north = end.coordinate.latitude - start.coordinate.latitude
    let east = end.coordinate.longitude - start.coordinate.longitude
    self.east = east > 180 ? east - 360 : east < -180 ? east + 360 : east
  }

  /// `nil` when a time is missing or does not advance.
  var recordedSeconds: Double? {
    guard let departure = start.time, let arrival = end.time, arrival > departure else {
      return nil
    }
    return arrival.seconds(since: departure)
  }

  func seconds(at pace: TrackPath.Pace) -> Double {
    switch pace {
    case .speed(let speed): distance / speed
    case .interval(let seconds): seconds
    }
  }

  /// Meters, on a sphere: good to 0.6 %, for pacing only.
  var distance: Double {
    let latitude = Angle(degrees: north / 2), longitude = Angle(degrees: east / 2)
    let chord =
      sin(latitude) * sin(latitude)
      + cos(Angle(degrees: start.coordinate.latitude))
      * cos(Angle(degrees: end.coordinate.latitude)) * sin(longitude) * sin(longitude)
    return 2 * Self.meanRadius * arcsine(min(1, chord.squareRoot()))
  }

  /// Degrees from true north, at the start; `nil` when the leg has no length.
  var bearing: Double? {
    guard north != 0 || east != 0 else { return nil }
    let from = Angle(degrees: start.coordinate.latitude)
    let to = Angle(degrees: end.coordinate.latitude)
    let turn = Angle(degrees: east)
    let eastward = sin(turn) * cos(to)
    let northward = cos(from) * sin(to) - sin(from) * cos(to) * cos(turn)
    return normalizedDegrees(arctangent(eastward, northward).degrees)
  }

  /// The place after `share` (0…1) of the way.
  func point(at share: Double) -> GPXPoint {
    let longitude = start.coordinate.longitude + east * share
    var point = GPXPoint(
      Coordinate(
        latitude: start.coordinate.latitude + north * share,
        longitude: longitude > 180
          ? longitude - 360 : longitude < -180 ? longitude + 360 : longitude
      ))
    if let low = start.elevation, let high = end.elevation {
      point.elevation = low + (high - low) * share
    }
    point.horizontalAccuracy = start.horizontalAccuracy
    point.verticalAccuracy = start.verticalAccuracy
    return point
  }

  /// Meters. Mean radius of the Earth (IUGG).
  private static let meanRadius = 6_371_008.8
}
