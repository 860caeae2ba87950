import CoreLocation
import LocationHost
import LocationModel
import Testing

@testable import INTULocationManager

@Suite("A location's grade")
struct AccuracyTests {
  let now = Date(timeIntervalSince1970: 1_700_000_000)

  func grade(_ accuracy: Double, age: TimeInterval) -> INTULocationAccuracy {
    let location = CLLocation(
      coordinate: CLLocationCoordinate2D(latitude: 48, longitude: 11), altitude: 0,
      horizontalAccuracy: accuracy, verticalAccuracy: -1, timestamp: now - age)
    return INTULocationAccuracy(of: location, at: now)
  }

  @Test(
    "INTU-9: keeps both limits of its level, which are inclusive",
    arguments: [
      (INTULocationAccuracy.city, 5_000.0, 600.0), (.neighborhood, 1_000, 300), (.block, 100, 60),
      (.house, 15, 15), (.room, 5, 5),
    ])
  func limits(_ level: INTULocationAccuracy, _ meters: Double, _ seconds: TimeInterval) {
    #expect(grade(meters, age: seconds) == level)
    #expect(grade(meters.nextUp, age: 0) < level)
    #expect(grade(0, age: seconds + 0.001) < level)
  }

  @Test("INTU-11: is the best level of which it keeps both limits")
  func best() {
    #expect(grade(3, age: 200) == .neighborhood)
    #expect(grade(4_000, age: 0) == .city)
    #expect(grade(3, age: 601) == .none)
    #expect(INTULocationAccuracy(of: nil, at: now) == .none)
  }

  @Test("does not profit from a date ahead of the clock")
  func future() {
    #expect(grade(3, age: -5) == .room)
    #expect(grade(3, age: -200) == .neighborhood)
  }

  @Test("INTU-12: asks the location manager for as much as Apple's constants name")
  func managerAccuracy() {
    let asked = INTULocationAccuracy.allCases.dropFirst().map(\.managerAccuracy)
    #expect(
      asked == [
        kCLLocationAccuracyThreeKilometers, kCLLocationAccuracyKilometer,
        kCLLocationAccuracyHundredMeters, kCLLocationAccuracyNearestTenMeters,
        kCLLocationAccuracyBest,
      ])
  }

  @Test("has the raw values of the original, as statuses and states have")
  func rawValues() {
    #expect(INTULocationAccuracy.allCases.map(\.rawValue) == Array(0...5))
    #expect(INTULocationStatus.error.rawValue == 6)
    #expect(INTULocationServicesState.disabled.rawValue == 4)
    #expect(INTUHeadingStatus.unavailable.rawValue == 2)
    #expect(INTUHeadingServicesState.unavailable.rawValue == 1)
    #expect(INTUAuthorizationType.whenInUse.rawValue == 2)
  }
}

@Suite("The state of the services")
struct ServicesStateTests {
  @Test(
    "INTU-4: is the authorization's, while services are switched on",
    arguments: [
      (CLAuthorizationStatus.notDetermined, INTULocationServicesState.notDetermined),
      (.denied, .denied), (.restricted, .restricted), (.authorizedAlways, .available),
      (.authorizedWhenInUse, .available),
    ])
  func state(_ status: CLAuthorizationStatus, _ state: INTULocationServicesState) {
    #expect(INTULocationServicesState(status) == state)
  }
}

@Suite("A timeout")
struct TimeoutTests {
  typealias Timeout = LocationRequest.Timeout

  @Test(
    "INTU-18: of zero is no limit, nor is one that no clock can hold",
    arguments: [0, -1, .nan, .infinity, Double.greatestFiniteMagnitude])
  func unlimited(_ seconds: TimeInterval) {
    #expect(Timeout(timeout: seconds, delayUntilAuthorized: false) == .unlimited)
  }

  @Test("is kept to the fraction of a second")
  func limited() {
    let limit = Timeout.limited(.milliseconds(2_500), fromAuthorization: true)
    #expect(Timeout(timeout: 2.5, delayUntilAuthorized: true) == limit)
    #expect(Timeout(timeout: .milliseconds(2_500), delayUntilAuthorized: true) == limit)
  }

  @Test("of no duration, for a task, is over at once; none is no limit")
  func zeroDuration() {
    #expect(
      Timeout(timeout: Duration.zero, delayUntilAuthorized: false)
        == .limited(.zero, fromAuthorization: false))
    #expect(Timeout(timeout: Duration?.none, delayUntilAuthorized: false) == .unlimited)
  }
}

@Suite("What an app declares")
struct DeclarationTests {
  @Test("INTU-6: decides what the person is asked for, unless the app has said so")
  func goal() {
    let always = Declarations(hasAlwaysText: true)
    let inUse = Declarations()
    #expect(always.goal(for: .auto) == .always)
    #expect(inUse.goal(for: .auto) == .whenInUse)
    #expect(always.goal(for: .whenInUse) == .whenInUse)
    #expect(inUse.goal(for: .always) == .always)
  }

  @Test(
    "INTU-6, INTU-8: is what Core Location has read: any of the keys, and the background mode",
    arguments: [
      ([Manifest.Key.always: ManifestValue.string("a")], true, false),
      ([Manifest.Key.olderAlways: .string("a")], true, false),
      ([Manifest.Key.whenInUse: .string("a")], false, false),
      (
        [Manifest.Key.backgroundModes: .array([.string("audio"), .string("location")])], false, true
      ),
      ([Manifest.Key.backgroundModes: .string("location")], false, false),
    ])
  func process(list: [String: ManifestValue], hasAlways: Bool, hasMode: Bool) {
    let description = ClientDescription(app: AppIdentity("a.b"), manifest: Manifest(list))
    let client = LocationClient(description, over: LocationHost(sources: []))
    LocationClient.$bound.withValue(client) {
      #expect(
        Declarations.ofProcess
          == Declarations(hasAlwaysText: hasAlways, hasLocationBackgroundMode: hasMode))
    }
  }
}
