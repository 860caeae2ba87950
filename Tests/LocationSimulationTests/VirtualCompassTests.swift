import LocationModel
import LocationProviders
import LocationSimulation
import TestSupport
import Testing

@Suite("A virtual accelerometer")
struct VirtualCompassTests {
  @Test(
    "POW-6: feels how fast the device is moved",
    arguments: [(0, .stationary), (1.4, .walking), (3, .running), (14, nil)]
      as [(Double, MotionActivity.Kind?)])
  func moved(speed: Double, kind: MotionActivity.Kind?) throws {
    var compass = VirtualCompass(seed: 3)
    compass.pitch = 40
    let truth = Truth(Coordinate(latitude: 48, longitude: 11), speed: speed)
    let tree = IIODeviceTree(
      compass.answer(.survey, truth: truth, date: UnixTime(seconds: 1_700_000_000)))
    var bench = Bench(try #require(IIOMotion(tree)))
    bench.send(.start)
    var answered = 0
    while bench.now.uptime < .start + .seconds(120) {
      while answered < bench.outputs.count {
        if case .read(let paths) = bench.outputs[answered].output {
          let date = bench.now.unixTime
          bench.send(.readings(compass.answer(.files(paths), truth: truth, date: date)))
        }
        answered += 1
      }
      let next = try #require(bench.machine.nextDeadline)
      bench.run(for: next - bench.now.uptime)
    }
    let delivered = bench.outputs.compactMap { entry -> MotionActivity.Kind? in
      guard case .activity(let activity) = entry.output else { return nil }
      return activity.kind
    }
    #expect(delivered == [kind].compactMap { $0 })
  }
}
