internal import LocationCoding
internal import LocationEngine
internal import LocationModel
internal import LocationSecrets

/// Moves every place of a recording by the same displacement, so that it can be shared.
///
/// The first place becomes 0° N 0° E. Every other place keeps its distance and direction from the
/// first, so that paths keep their shape; courses and names do not change.
package struct Displacement: Sendable {
  private var center: Coordinate?
  /// The first place that was set from outside. Such places have a displacement of their own: many
  /// are known to all (SIM-9), and would give the others away.
  private var simulatedCenter: Coordinate?

  package init() {}

  /// Returns the recording with all places moved; its digests are those of its own replay.
  package static func move(_ bytes: [UInt8]) throws(Replay.Failure) -> [UInt8] {
    var displacement = Displacement()
    var moved = Recording.opening
    var section: (engine: LocationEngine, recorder: Recorder)?
    var offset = 0
    do throws(RecordingFault) {
      var reader = try RecordingReader(bytes)
      offset = reader.offset
      while let item = try reader.next() {
        offset = reader.offset
        switch item {
        case .mark: break
        case .section(let setup):
          // Another secret: this one would reveal where the coarse places of the machine lie.
          var setup = setup
          setup.secret = SecretKey(seed: 0)
          setup.storedForm = Recording.Setup.presentForm
          section = (setup.engine, Recorder(setup))
        case .step(let step):
          let input = displacement.moved(step.input)
          let outputs = section?.engine.handle(input, at: step.now) ?? []
          section?.recorder.note(input, outputs, at: step.now)
        }
        moved += section?.recorder.takeBytes() ?? []
      }
    } catch { throw .unreadable(error, offset: offset) }
    return moved
  }

  private mutating func moved(_ input: LocationEngine.Input) -> LocationEngine.Input {
    switch input {
    case .fix(var fix, let provider):
      fix.coordinate = moved(fix.coordinate)
      return .fix(fix, from: provider)
    case .simulation(.fix(var fix)):
      fix.coordinate = Self.moved(fix.coordinate, by: &simulatedCenter)
      return .simulation(.fix(fix))
    case .simulation(.hold(var fix)):
      fix.coordinate = Self.moved(fix.coordinate, by: &simulatedCenter)
      return .simulation(.hold(fix))
    case .stored(let entries): return .stored(entries.compactMap { moved($0) })
    case .client(let client, .request(let request)):
      return .client(client, .request(moved(request)))
    case .client, .provider, .noRegion, .compass, .heading, .sensor, .beacon, .reception,
      .advertising, .answer, .setting, .launchable, .unlocked, .display, .remind, .simulation(.end),
      .wake:
      return input
    }
  }

  private mutating func moved(_ request: Request) -> Request {
    switch request {
    case .region(let subscriber, .start(let region)):
      return .region(subscriber, .start(moved(region)))
    case .region(let subscriber, .state(let region)):
      return .region(subscriber, .state(moved(region)))
    case .monitor(let subscriber, .add(let identifier, let target, let assumed)):
      return .monitor(subscriber, .add(identifier: identifier, moved(target), assuming: assumed))
    case .region, .monitor, .authorization, .updates, .live, .significantChanges, .visits,
      .acknowledge, .heading, .ranging, .advertising, .session, .life, .end:
      return request
    }
  }

  private mutating func moved(_ region: RegionDescription) -> RegionDescription {
    var region = region
    region.target = moved(region.target)
    return region
  }

  private mutating func moved(_ target: ConditionTarget) -> ConditionTarget {
    switch target {
    case .circle(var circle):
      circle.center = moved(circle.center)
      return .circle(circle)
    case .polygon(let outline):
      let parts = outline.parts.map { $0.map { $0.map { moved($0) } } }
      return (try? PolygonOutline(parts)).map { .polygon($0) } ?? .unsupported
    case .beacon, .unsupported: return target
    }
  }

  /// Moves the places of an entry: members `latitude` and `longitude` of an object, pairs in an array
  /// (visits), or the positions of a polygon. Leaves out a cell of the coarse grid: without the secret it has no meaning.
  private mutating func moved(_ entry: StateEntry) -> StateEntry? {
    guard entry.key.domain != "coarse-place" else { return nil }
    guard let json = try? JSON(parsing: entry.value) else { return entry }
    return StateEntry(key: entry.key, value: moved(json).bytes)
  }

  private mutating func moved(_ json: JSON) -> JSON {
    switch json {
    case .object(let members):
      var members = members
      if let latitude = json["latitude"].flatMap({ try? Double(json: $0) }),
        let longitude = json["longitude"].flatMap({ try? Double(json: $0) })
      {
        let place = moved(Coordinate(latitude: latitude, longitude: longitude))
        for index in members.indices where members[index].name == "latitude" {
          members[index].value = place.latitude.json
        }
        for index in members.indices where members[index].name == "longitude" {
          members[index].value = place.longitude.json
        }
      }
      return .object(
        members.map { member in
          let value =
            switch member.name {
            case "places": pairs(member.value)
            case "coordinates": positions(member.value)
            default: moved(member.value)
            }
          return JSON.Member(member.name, value)
        })
    case .array(let elements): return .array(elements.map { moved($0) })
    case .null, .bool, .integer, .unsigned, .number, .string, .written: return json
    }
  }

  private mutating func pairs(_ json: JSON) -> JSON {
    guard case .array(let places) = json else { return json }
    return .array(
      places.map { place in
        guard let pair = try? [Double](json: place), pair.count >= 2 else { return place }
        let moved = moved(Coordinate(latitude: pair[0], longitude: pair[1]))
        return ([moved.latitude, moved.longitude] + pair.dropFirst(2)).json
      })
  }

  /// Moves the positions of GeoJSON, longitudes first, however deep they lie in arrays.
  private mutating func positions(_ json: JSON) -> JSON {
    guard case .array(let elements) = json else { return json }
    guard let numbers = try? [Double](json: json), numbers.count >= 2 else {
      return .array(elements.map { positions($0) })
    }
    let moved = moved(Coordinate(latitude: numbers[1], longitude: numbers[0]))
    return ([moved.longitude, moved.latitude] + numbers.dropFirst(2)).json
  }

  /// Moves a place. Cuts degrees after the ninth digit, a tenth of a millimeter.
  private mutating func moved(_ place: Coordinate) -> Coordinate {
    Self.moved(place, by: &center)
  }

  private static func moved(_ place: Coordinate, by first: inout Coordinate?) -> Coordinate {
    guard place.isValid else { return place }
    let center = first ?? place
    first = center
    let way = Geodesic.inverse(from: center, to: place)
    let moved = Coordinate(latitude: 0, longitude: 0)
      .moved(by: way.distance, towards: way.initialAzimuth)
    func cut(_ degrees: Double) -> Double { (degrees * 1e9).rounded() / 1e9 }
    return Coordinate(latitude: cut(moved.latitude), longitude: cut(moved.longitude))
  }
}
