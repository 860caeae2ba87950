import Foundation
import LocationFleet
import LocationModel
import LocationProviders

/// Many devices over 100,000 shared fences: fixes a second on one processor, against decoding the
/// same lines alone.
func measureFleet() async throws {
  let world = try FleetWorld(fences: 100_000)
  let lines = world.lines(devices: 20_000, fixes: 20)
  let decode = try wallTime {
    for line in lines where try FleetLine(line) == nil { throw MissingPeer(text: "no line") }
  }
  var fleet = Fleet(world.index)
  let all = try wallTime {
    for line in lines {
      guard let parsed = try FleetLine(line) else { continue }
      _ = fleet.take(parsed.fix, of: FleetDeviceName(device: parsed.device))
    }
  }
  let count = Double(lines.count)
  try Figure.report("fleet.decode", count / decode, "/s", "decode only")
  try Figure.report("fleet.rate", count / all, "/s", "decode, order, all detectors, 100,000 fences")
  try Figure.report("fleet.ratio", decode / all, "", "all over decode only")
  show("fixes a second on one processor", count / all, atLeast: 200_000)
  var roomy = Fleet(world.index, mostAwake: 20_000)
  let awake = try wallTime {
    for line in lines {
      guard let parsed = try FleetLine(line) else { continue }
      _ = roomy.take(parsed.fix, of: FleetDeviceName(device: parsed.device))
    }
  }
  try Figure.report("fleet.rate.awake", count / awake, "/s", "the same, every device awake")
  try await measureFleetWorker(world)
  try measureFleetPeers(world)
}

private func show(_ what: String, _ value: Double, atLeast least: Double) {
  print("\(value >= least ? "won " : "lost"): \(what), at least \(Int(least)): \(Int(value))")
}

/// Fences of 150 m over 300 km, and devices that drive among them.
struct FleetWorld {
  var index = FleetFences()
  /// Two fences around one place.
  var pair = FleetFences()
  private static let start = UnixTime(seconds: 1_767_600_000)

  init(fences: Int) throws {
    var random = SeededRandom(seed: 7)
    for number in 0..<fences {
      let center = Coordinate(
        latitude: .random(in: 45...48, using: &random),
        longitude: .random(in: 5...9, using: &random))
      try index.insert(
        FleetFence(id: "fence-\(number)", .circle(Circle(center: center, radius: 150))))
    }
    let center = Coordinate(latitude: 46.5, longitude: 6.6)
    for radius in [400.0, 900] {
      try pair.insert(
        FleetFence(id: "fence-\(Int(radius))", .circle(Circle(center: center, radius: radius))))
    }
  }

  /// The fences as a file.
  var file: [UInt8] {
    let features = (0..<index.count).compactMap { number -> String? in
      let fence = index[FleetFences.Slot(number)]
      guard case .circle(let circle) = fence.area else { return nil }
      return """
        {"type":"Feature","id":"\(fence.id)","geometry":{"type":"Point","coordinates":\
        [\(circle.center.longitude),\(circle.center.latitude)]},\
        "properties":{"radius":\(circle.radius)}}
        """
    }
    return Array(
      #"{"type":"FeatureCollection","features":[\#(features.joined(separator: ","))]}"#.utf8)
  }

  /// The lines of all devices in turn, a fix every 10 s.
  func lines(devices: Int, fixes: Int) -> [[UInt8]] {
    var random = SeededRandom(seed: 11)
    let begins = (0..<devices).map { _ in
      (Double.random(in: 45...48, using: &random), Double.random(in: 5...9, using: &random))
    }
    return (0..<fixes).flatMap { step in
      begins.enumerated().map { number, begin in
        let date = (Self.start + .seconds(10 * step)).iso8601
        let east = begin.1 + Double(step) * 0.0015
        return Array(
          """
          {"device":"device-\(number)","date":"\(date)","latitude":\(begin.0),\
          "longitude":\(east),"horizontal_accuracy":8,"speed":11.5,"course":90}
          """.utf8)
      }
    }
  }

  /// Two minutes of driving and half an hour at one place in both fences, or ten minutes of driving to and fro in
  /// them.
  func fixes(of number: Int, isMoving: Bool) -> [Fix] {
    var random = SeededRandom(seed: UInt64(number))
    func fix(_ seconds: Int, way: Double, speed: Double?) -> Fix {
      var fix = Fix(
        coordinate: Coordinate(
          latitude: 46.5 + .random(in: -3e-5...3e-5, using: &random),
          longitude: 6.6 + way + .random(in: -3e-5...3e-5, using: &random)),
        horizontalAccuracy: 8, time: Self.start + .seconds(seconds))
      fix.speed = speed
      return fix
    }
    var fixes: [Fix] = []
    if isMoving {
      for step in 0..<60 {
        let steps = step % 20 < 10 ? step % 10 : 10 - step % 10
        fixes.append(fix(10 * step, way: 0.00015 * Double(steps), speed: 1.2))
      }
    } else {
      for step in 0..<12 {
        fixes.append(fix(10 * step, way: 0.0015 * Double(step - 12), speed: 11.5))
      }
      for step in 4..<64 { fixes.append(fix(30 * step, way: 0, speed: 0)) }
    }
    return fixes
  }
}
