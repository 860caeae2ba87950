import CoreLocation
import LocationTesting
import Synchronization
import Testing

@Suite("The verbs of simctl location")
struct SimulatorVerbTests {
  let device = SimulatedDevice(at: .init(latitude: 37.3, longitude: -122))
  let app: SimulatedApp
  let received = Received()

  init() {
    app = device.app("com.example.simctl")
    device.person(answers: .allowWhileUsing, after: .zero)
  }

  /// The deliveries of live updates.
  final class Received: Sendable {
    private let updates = Mutex<[CLLocationUpdate]>([])
    var all: [CLLocationUpdate] { updates.withLock { $0 } }
    var locations: [CLLocation] { all.compactMap(\.location) }
    func add(_ update: CLLocationUpdate) { updates.withLock { $0.append(update) } }
  }

  private func listening(_ body: () async throws -> Void) async throws {
    try await app.run {
      let loop = Task {
        for try await update in CLLocationUpdate.liveUpdates() { received.add(update) }
      }
      try await body()
      loop.cancel()
    }
  }

  @Test("SIM-7: set fixes the position, without speed or course, however often")
  func set() async throws {
    try await listening {
      device.setLocation(.init(latitude: 48.1, longitude: 11.5))
      try await device.advance(by: .seconds(10))
      device.setLocation(.init(latitude: 48.2, longitude: 11.5))
      try await device.advance(by: .seconds(10))
      let places = Set(received.locations.map { ($0.coordinate.latitude * 1e5).rounded() / 1e5 })
      #expect(places == [48.1, 48.2])
      for location in received.locations {
        #expect(location.speed <= 0 && location.course == -1)
        #expect(abs(location.horizontalAccuracy - 5) < 0.05)
        #expect(location.sourceInformation?.isSimulatedBySoftware == true, "SIM-6")
      }
    }
  }

  @Test("SIM-8: start goes through waypoints at 20 m/s, once a second, and holds the end")
  func start() async throws {
    let (here, there) = (
      CLLocationCoordinate2D(latitude: 48, longitude: 11),
      CLLocationCoordinate2D(latitude: 48.009, longitude: 11)
    )
    try await listening {
      device.startLocation(through: [here, there])
      try await device.advance(by: .seconds(100))
    }
    let moving = received.locations.filter { $0.speed > 0 }
    #expect((49...51).contains(moving.count), "1001 m at 20 m/s, once a second")
    #expect(moving.allSatisfy { abs($0.speed - 20) < 0.1 && abs($0.course) < 0.1 })
    for (one, next) in zip(moving, moving.dropFirst()) {
      #expect(abs(next.distance(from: one) - 20) < 0.5)
    }
    let last = try #require(received.locations.last)
    #expect(abs(last.coordinate.latitude - 48.009) < 1e-6 && last.speed == 0)
  }

  @Test("SIM-8: start tells of every so many meters where asked to")
  func distance() async throws {
    try await listening {
      device.startLocation(
        through: [.init(latitude: 48, longitude: 11), .init(latitude: 48.009, longitude: 11)],
        speed: 10, distance: 100)
      try await device.advance(by: .seconds(95))
    }
    let moving = received.locations.filter { $0.speed > 0 }
    #expect((8...10).contains(moving.count), "\(moving.count)")
    for (one, next) in zip(moving, moving.dropFirst()) {
      #expect(abs(next.distance(from: one) - 100) < 1)
    }
  }

  @Test("SIM-9: run plays each scenario of the list, and clear removes the position")
  func run() async throws {
    #expect(
      SimulatedScenario.allCases.map(\.rawValue) == [
        "City Run", "City Bicycle Ride", "Freeway Drive", "Apple",
      ])
    try await listening {
      for (scenario, speed) in zip(SimulatedScenario.allCases, [3.2, 6, 30, 0]) {
        device.runScenario(scenario)
        try await device.advance(by: .seconds(120))
        let fastest = max(0, received.locations.suffix(40).map(\.speed).max() ?? -99)
        #expect(abs(fastest - speed) < 0.1, "\(scenario): \(fastest) m/s")
      }
      device.clearLocation()
      try await device.advance(by: .seconds(2))
      let count = received.locations.count
      try await device.advance(by: .seconds(120))
      #expect(received.locations.count == count)
      #expect(received.all.last?.locationUnavailable == true, "SIM-11, LIVE-17")
    }
  }

  @Test("SIM-10: start goes at an altitude where it is given one")
  func altitude() async throws {
    try await listening {
      device.startLocation(
        through: [.init(latitude: 48, longitude: 11), .init(latitude: 48.009, longitude: 11)],
        altitude: 300)
      try await device.advance(by: .seconds(10))
    }
    #expect(received.locations.last?.altitude == 300)
  }

  @Test("SIM-10: set tells an altitude, an accuracy, a speed, and a course where they are given")
  func motion() async throws {
    try await listening {
      device.setLocation(
        .init(latitude: 48, longitude: 11), altitude: 520, horizontalAccuracy: 12, speed: 3,
        course: 250)
      try await device.advance(by: .seconds(10))
    }
    let location = try #require(received.locations.last)
    #expect(abs(location.speed - 3) < 0.01 && abs(location.course - 250) < 0.01)
    #expect(location.altitude == 520 && abs(location.horizontalAccuracy - 12) < 0.1)
    #expect(Set(received.locations.map(\.coordinate.latitude)).count == 1)
  }

  @Test("SIM-8: start refuses a way without a place, rather than go to 0, 0")
  func nowhere() async {
    await #expect(processExitsWith: .failure) { _ = Route(through: []) }
    await #expect(processExitsWith: .failure) {
      SimulatedDevice(at: .init(latitude: 1, longitude: 2)).startLocation(through: [])
    }
  }

  @Test("SIM-9: run begins a round again and again, hours later too")
  func rounds() async throws {
    device.runScenario(.cityRun)
    try await device.advance(by: .seconds(7200))
    let before = device.truePlace
    try await device.advance(by: .seconds(30))
    let (here, there) = (device.truePlace, before)
    #expect(here.latitude != there.latitude || here.longitude != there.longitude)
  }
}
