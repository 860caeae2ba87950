import CoreLocation
import LocationTesting
import Synchronization
import Testing

@Suite("The places of a simulated device", .timeLimit(.minutes(1)))
@MainActor struct PlacesTests {
  private static let home = CLLocationCoordinate2D(latitude: 52.52, longitude: 13.40)
  private static let museum = CLLocationCoordinate2D(latitude: 52.5215, longitude: 13.40)
  private static let far = CLLocationCoordinate2D(latitude: 40.71, longitude: -74.01)
  private let device = SimulatedDevice(at: home)
  private let app: SimulatedApp

  init() {
    app = device.app("com.example.geocodes")
    var museum = SimulatedPlace(at: Self.museum, name: "Musée", locality: "Berlin")
    (museum.thoroughfare, museum.subThoroughfare) = ("High Street", "7")
    var other = SimulatedPlace(at: Self.far, name: "Home", locality: "New York", radius: 1000)
    other.isoCountryCode = "US"
    let home = SimulatedPlace(at: Self.home, name: "Home", locality: "Berlin")
    device.setPlaces([home, museum, other])
  }

  private static func location(_ place: CLLocationCoordinate2D) -> CLLocation {
    CLLocation(latitude: place.latitude, longitude: place.longitude)
  }

  /// Returns the error of a request for the place at a coordinate; `nil` where there is none.
  private static func code(
    _ geocoder: CLGeocoder, _ place: CLLocationCoordinate2D = home
  ) async -> CLError.Code? {
    do {
      _ = try await geocoder.reverseGeocodeLocation(location(place))
      return nil
    } catch { return (error as? CLError)?.code }
  }

  @Test("SIM-32: are found around a location, the nearest one, at once, dated by the device")
  func reverse() async throws {
    try await app.run {
      let between = CLLocationCoordinate2D(latitude: 52.5208, longitude: 13.40)
      let found = try await CLGeocoder().reverseGeocodeLocation(Self.location(between))
      #expect(found.map(\.name) == ["Musée"])
      #expect(found.first?.subThoroughfare == "7")
      #expect(found.first?.location?.timestamp == device.date)
      let nowhere = CLLocationCoordinate2D(latitude: 0, longitude: 0)
      #expect(await Self.code(CLGeocoder(), nowhere) == .geocodeFoundNoResult)
    }
    #expect(device.messages == [])
  }

  @Test("SIM-32: are found by words of their names, in order, those in the region first")
  func forward() async throws {
    try await app.run {
      let geocoder = CLGeocoder()
      let found = try await geocoder.geocodeAddressString("musee, 7 high street")
      #expect(found.map(\.locality) == ["Berlin"])
      #expect(try await geocoder.geocodeAddressString("home").count == 2)
      let region = CLCircularRegion(center: Self.far, radius: 5000, identifier: "city")
      let near = try await geocoder.geocodeAddressString("Home", in: region)
      #expect(near.map(\.locality) == ["New York", "Berlin"])
      await #expect(throws: CLError.self) { try await geocoder.geocodeAddressString("Home, Paris") }
    }
  }

  @Test("SIM-32: are found after a latency, within which a request is canceled")
  func latency() async throws {
    device.setPlaces([SimulatedPlace(at: Self.home, name: "Home")], answeringAfter: .seconds(3))
    try await app.run {
      let geocoder = CLGeocoder()
      let codes = Log<CLError.Code?>()
      Task { codes.add(await Self.code(geocoder)) }
      try await device.advance(by: .seconds(2))
      #expect(geocoder.isGeocoding && codes.values == [])
      try await device.advance(by: .seconds(1))
      #expect(!geocoder.isGeocoding && codes.values == [nil])
      Task { codes.add(await Self.code(geocoder, Self.far)) }
      try await device.advance(by: .seconds(1))
      geocoder.cancelGeocode()
      try await device.advance(by: .seconds(10))
      #expect(codes.values == [nil, .geocodeCanceled])
    }
  }

  @Test("SIM-33: are not found without a network, also where it is lost before the answer")
  func network() async throws {
    device.turnNetwork(on: false)
    try await app.run {
      let geocoder = CLGeocoder()
      #expect(await Self.code(geocoder) == .network)
      device.turnNetwork(on: true)
      #expect(await Self.code(geocoder) == nil)
      device.setPlaces([SimulatedPlace(at: Self.far)], answeringAfter: .seconds(5))
      let codes = Log<CLError.Code?>()
      Task { codes.add(await Self.code(geocoder, Self.far)) }
      try await device.advance(by: .seconds(1))
      device.turnNetwork(on: false)
      try await device.advance(by: .seconds(5))
      #expect(codes.values == [.network])
    }
  }

  @Test("SIM-32, GEO-5: are found fifty times in a minute of the device")
  func limit() async throws {
    let places = (0...51).map { CLLocationCoordinate2D(latitude: Double($0), longitude: 10) }
    device.setPlaces(places.map { SimulatedPlace(at: $0) })
    try await app.run {
      let geocoder = CLGeocoder()
      for place in places.prefix(50) { #expect(await Self.code(geocoder, place) == nil) }
      #expect(await Self.code(geocoder, places[50]) == .network)
      try await device.advance(by: .seconds(60))
      #expect(await Self.code(geocoder, places[51]) == nil)
    }
  }

  @Test("SIM-32: are none at first, which the device says")
  func none() async throws {
    let device = SimulatedDevice(at: Self.home)
    let app = device.app("com.example.noplaces")
    await app.run { #expect(await Self.code(CLGeocoder()) == .geocodeFoundNoResult) }
    #expect(
      device.messages == [
        "a geocoder finds nothing: the device has no places. Next: device.setPlaces(_:)"
      ])
    device.setPlaces([])
    await app.run { #expect(await Self.code(CLGeocoder()) == .geocodeFoundNoResult) }
    #expect(device.messages.count == 1)
    device.setPlaces([SimulatedPlace(at: kCLLocationCoordinate2DInvalid)])
    #expect(device.messages.last == "latitude -180.0 is not a place: geocoders do not find it")
  }

  @Test("SIM-30: a completion goes on as the app, on the device")
  func completion() async throws {
    app.setPermission(.whileUsing)
    try await app.run {
      let (geocoder, dates) = (CLGeocoder(), Log<Date>())
      geocoder.reverseGeocodeLocation(Self.location(Self.home)) { _, _ in
        Task {
          for try await update in CLLocationUpdate.liveUpdates() {
            guard let location = update.location else { continue }
            return dates.add(location.timestamp)
          }
        }
      }
      try await device.advance(by: .seconds(10))
      let date = try #require(dates.values.first)
      #expect(abs(date.timeIntervalSince(device.date)) < 15)
    }
  }
}
