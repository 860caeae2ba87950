import FoundationEssentials
import Glibc
import LocationCoding
import LocationHost
import LocationModel
import LocationSimulation

/// The circles of a GeoJSON file: a FeatureCollection of Points with `identifier` and `radius`.
struct ConditionsFile: Decodable {
  private struct Feature: Decodable {
    struct Geometry: Decodable {
      var type: String
      var coordinates: [Double]
    }

    struct Properties: Decodable {
      var identifier: String
      /// Meters.
      var radius: Double
    }

    var geometry: Geometry
    var properties: Properties
  }

  private var features: [Feature]

  static func read(_ path: String, as invocation: Invocation) throws(Failure) -> [Simulation
    .NamedCircle]
  {
    let data = Data(try SimulationFile.bytes(of: path, as: invocation))
    let file: ConditionsFile
    do { file = try JSONDecoder().decode(ConditionsFile.self, from: data) } catch {
      throw invocation.usage("\(path): \(Self.text(of: error))")
    }
    var circles: [Simulation.NamedCircle] = []
    for feature in file.features {
      guard feature.geometry.type == "Point", feature.geometry.coordinates.count >= 2 else {
        throw invocation.usage(
          "\(path): \"\(feature.properties.identifier)\" is no Point with [longitude, latitude]")
      }
      let center = Coordinate(
        latitude: feature.geometry.coordinates[1], longitude: feature.geometry.coordinates[0])
      let circle = Circle(center: center, radius: feature.properties.radius)
      guard circle.isValid else {
        throw invocation.usage(
          "\(path): \"\(feature.properties.identifier)\" is no circle on earth")
      }
      circles.append(
        Simulation.NamedCircle(identifier: feature.properties.identifier, circle: circle))
    }
    return circles
  }

  private static func text(of error: any Error) -> String {
    guard let error = error as? DecodingError else { return "\(error)" }
    switch error {
    case .keyNotFound(let key, let context):
      return "\"\(key.stringValue)\" is missing in \(path(context))"
    case .typeMismatch(_, let context), .valueNotFound(_, let context):
      return "\(path(context)) has the wrong type"
    case .dataCorrupted: return "this is no JSON"
    @unknown default: return "this is no FeatureCollection"
    }
  }

  private static func path(_ context: DecodingError.Context) -> String {
    let keys = context.codingPath.map { $0.intValue.map { "\($0)" } ?? $0.stringValue }
    return keys.isEmpty ? "the file" : keys.joined(separator: ".")
  }
}

/// What to simulate.
enum SimulationFile {
  /// A file, a built-in scenario, or waypoints.
  static func input(
    of invocation: Invocation, speed: Double, every interval: Duration
  ) throws(Failure) -> SimulationInput {
    guard let first = invocation.operand(0) else {
      throw invocation.usage("what to simulate is missing: a file, a scenario, or waypoints")
    }
    if let scenario = BuiltInScenario(typed: first) { return .scenario(scenario.scenario) }
    guard first == "-" || place(first) != nil else {
      if let extra = invocation.operand(1) {
        throw invocation.usage("\"\(extra)\" is too much: one file, or two and more waypoints")
      }
      guard first.contains("/") || access(first, F_OK) == 0 else { throw unknown(first) }
      return try read(first, as: invocation)
    }
    let places = try waypoints(invocation.operands, as: invocation)
    return .scenario(Scenario(through: places, speed: speed, every: interval))
  }

  /// That a word is neither a file nor a built-in scenario.
  static func unknown(_ word: String) -> Failure {
    let names = BuiltInScenario.allCases.map(\.rawValue)
    let near = NearWord.find(for: word, among: names).map { "; did you mean \"\($0)\"?" } ?? ""
    return .usage(
      "\(word.quotedForDisplay()) is neither a file nor one of \(names.joined(separator: ", "))"
        + near, next: "locationctl simulate --list")
  }

  /// Two waypoints or more, or the lines of standard input for `-`.
  static func waypoints(
    _ words: [String], as invocation: Invocation
  ) throws(Failure) -> [Coordinate] {
    var places: [Coordinate] = []
    for word in words.first == "-" ? linesOfStandardInput() : words {
      guard let place = place(word) else {
        throw invocation.usage("\"\(word)\" is no waypoint: LATITUDE,LONGITUDE in degrees")
      }
      places.append(place)
    }
    guard places.count >= 2 else { throw invocation.usage("a way needs two waypoints or more") }
    return places
  }

  private static func linesOfStandardInput() -> [String] {
    var lines: [String] = []
    while let line = readLine() {
      if !line.allSatisfy(\.isWhitespace) { lines.append(line) }
    }
    return lines
  }

  static func place(_ word: String) -> Coordinate? {
    let parts = word.split(separator: ",", omittingEmptySubsequences: false)
      .map { Double($0.filter { !$0.isWhitespace }) }
    guard parts.count == 2, let latitude = parts[0], let longitude = parts[1] else { return nil }
    let place = Coordinate(latitude: latitude, longitude: longitude)
    return place.isValid ? place : nil
  }

  static func bytes(
    of path: String, upTo most: Int = .max, as invocation: Invocation
  ) throws(Failure) -> [UInt8] {
    do throws(Errno) { return try InputFile.bytes(of: path, upTo: most) } catch {
      throw invocation.usage("\(path) cannot be read: \(error.reason)")
    }
  }

  static func read(_ path: String, as invocation: Invocation) throws(Failure) -> SimulationInput {
    let bytes = try bytes(of: path, as: invocation)
    let input: SimulationInput
    do throws(ScenarioFault) { input = try SimulationInput(path: path, bytes: bytes) } catch {
      throw invocation.usage("\(path), \(error)")
    }
    guard let list = input.accessPointList else { return input }
    return try AccessPointFile.add(Self.path(of: list, in: path), to: input, as: invocation)
  }

  /// The path of a file that a scenario names: from the folder in which that lies, so that `-` is a file,
  /// too.
  static func path(of name: String, in scenario: String) -> String {
    let folder = scenario.lastIndex(of: "/").map { scenario[...$0] } ?? "./"
    return name.hasPrefix("/") ? name : folder + name
  }
}

extension BuiltInScenario {
  /// A built-in scenario by its name, in capital or small letters; a file of that name is meant first.
  init?(typed word: String) {
    let named = Self.allCases.first { $0.rawValue.lowercased() == word.lowercased() }
    guard let named, named.rawValue == word || access(word, F_OK) != 0 else { return nil }
    self = named
  }
}
