import LocationModel
import LocationProviders
import TestSupport
import Testing

@Suite("GeoClue's locations")
struct GeoClueLocationTests {
  private var stage = GeoClueStage()
  private let client = GeoClueStage.client(1)

  /// The objects that signals have named, without their common path.
  private mutating func announced() -> [String] {
    stage.said().filter { $0.contains("LocationUpdated") }
      .map { $0.replacing(":1.7 hears LocationUpdated ", with: "") }
      .map { $0.replacing("/Client/1/Location/", with: "") }
  }

  @Test("GEOCLUE-8: a new location is signaled to its client only, before the property changes")
  mutating func signals() {
    stage.begin()
    _ = stage.said()
    stage.fix(fix())
    stage.fix(fix(north: 3, seconds: 1))
    #expect(
      stage.said() == [
        ":1.7 hears LocationUpdated / /Client/1/Location/0",
        ":1.7 hears PropertiesChanged Client {Location:/Client/1/Location/0} ",
        ":1.7 hears LocationUpdated /Client/1/Location/0 /Client/1/Location/1",
        ":1.7 hears PropertiesChanged Client {Location:/Client/1/Location/1} ",
      ])
  }

  @Test("GEOCLUE-8: nothing is signaled before Start is answered, or after Stop")
  mutating func order() {
    stage.open()
    stage.set("DesktopId", .string("maps"))
    stage.fix(fix())
    stage.call("Start", at: client)
    stage.fix(fix())
    #expect(announced() == [])
    stage.bench.send(.state(":1.7", GeoClueStage.granted))
    stage.call("Stop", at: client)
    stage.fix(fix())
    #expect(announced() == [])
  }

  @Test("GEOCLUE-9: a threshold of 0 lets every fix pass")
  mutating func none() {
    stage.begin()
    for second in 0..<4 { stage.fix(fix(seconds: Double(second))) }
    #expect(announced() == ["/ 0", "0 1", "1 2", "2 3"])
  }

  @Test("GEOCLUE-9: below the distance the location changes in place, counted from the last signal")
  mutating func distance() {
    stage.begin()
    stage.set("DistanceThreshold", .uint32(10))
    for meter in 0..<25 { stage.fix(fix(north: Double(meter) * 1.01, seconds: Double(meter))) }
    #expect(announced() == ["/ 0", "0 1", "1 2"])
    _ = stage.said()
    stage.get("Latitude", at: client + "/Location/2", "Location")
    #expect(stage.said() == ["6: \(fix(north: 24 * 1.01).coordinate.latitude)"])
  }

  @Test("GEOCLUE-9: below the time as below the distance, by the times of the fixes")
  mutating func time() {
    stage.begin()
    stage.set("TimeThreshold", .uint32(5))
    for second in 0..<12 { stage.fix(fix(north: 100 * Double(second), seconds: Double(second))) }
    #expect(announced() == ["/ 0", "0 1", "1 2"])
    // A receiver whose clock was wrong by a year holds nothing back.
    stage.fix(fix(seconds: -31_536_000))
    #expect(announced() == ["2 3"])
  }

  @Test("GEOCLUE-9: both thresholds count, also the greatest")
  mutating func both() {
    stage.begin()
    stage.set("TimeThreshold", .uint32(2))
    stage.set("DistanceThreshold", .uint32(10))
    stage.fix(fix())
    stage.fix(fix(north: 100, seconds: 1))
    stage.fix(fix(north: 5, seconds: 3))
    stage.fix(fix(north: 50, seconds: 4))
    #expect(announced() == ["/ 0", "0 1"])
    stage.set("TimeThreshold", .uint32(.max))
    stage.set("DistanceThreshold", .uint32(.max))
    stage.fix(fix(north: 1_000_000, seconds: 1_000_000))
    #expect(announced() == [])
    // The first after a start is announced in any case.
    stage.call("Stop", at: client)
    stage.call("Start", at: client)
    stage.fix(fix(north: 60, seconds: 5))
    #expect(announced() == ["1 2"])
  }

  @Test("GEOCLUE-10: what is unknown has GeoClue's own value")
  mutating func values() {
    stage.begin()
    var known = fix(seconds: 0.5)
    (known.altitude, known.speed, known.course) = (520, 1.5, 90)
    stage.fix(fix(seconds: 0.5))
    stage.fix(known)
    _ = stage.said()
    for number in 0...1 {
      stage.call(
        "GetAll", .string("org.freedesktop.GeoClue2.Location"), at: client + "/Location/\(number)",
        interface: "org.freedesktop.DBus.Properties")
    }
    let head = "{Latitude:48.0 Longitude:11.0 Accuracy:5.0 "
    let tail = "Description: Timestamp:(1700000000,500000)}"
    #expect(
      stage.said() == [
        "5: " + head + "Altitude:-1.7976931348623157e+308 Speed:-1.0 Heading:-1.0 " + tail,
        "6: " + head + "Altitude:520.0 Speed:1.5 Heading:90.0 " + tail,
      ])
  }

  @Test("GEOCLUE-10: the object before the previous is withdrawn five seconds later")
  mutating func withdrawal() {
    stage.begin()
    for second in 0..<3 { stage.fix(fix(seconds: Double(second))) }
    stage.bench.run(for: .milliseconds(4999))
    #expect(exists() == [0, 1, 2])
    stage.bench.run(for: .milliseconds(1))
    #expect(exists() == [1, 2])
    stage.bench.run(for: .seconds(3600))
    #expect(exists() == [1, 2])
    #expect(stage.bench.machine.nextDeadline == nil)
    for number in 0..<100 { stage.fix(fix(seconds: 4 + Double(number) / 100)) }
    #expect(exists(among: 0..<110).count == 16)
  }

  private mutating func exists(among numbers: Range<Int> = 0..<3) -> [Int] {
    numbers.filter { number in
      _ = stage.said()
      stage.get("Accuracy", at: client + "/Location/\(number)", "Location")
      return stage.said().contains { $0.hasSuffix(": 5.0") }
    }
  }

  @Test(
    "GEOCLUE-7: a level is at least a country, unknown ones count as the one below",
    arguments: [
      (0, "reduced"), (1, "reduced"), (3, "reduced"), (4, "reduced"), (5, "reduced"),
      (6, "meters(100.0)"), (7, "meters(100.0)"), (8, "best"), (UInt32.max, "best"),
    ])
  func levels(_ level: UInt32, _ accuracy: String) {
    var stage = GeoClueStage()
    stage.begin(level)
    #expect(stage.said().contains { $0.hasPrefix("start 1 ") && $0.hasSuffix(accuracy) })
  }

  @Test("GEOCLUE-7: a level that is set while a client is active counts at once")
  mutating func change() {
    stage.begin()
    _ = stage.said()
    stage.set("RequestedAccuracyLevel", .uint32(4))
    #expect(
      stage.said() == [
        "5: done", ":1.7 hears PropertiesChanged Client {RequestedAccuracyLevel:4} ",
        "change 1 reduced",
      ])
  }
}
