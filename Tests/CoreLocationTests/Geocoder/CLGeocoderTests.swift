import Foundation
import LocationGeocoding
import LocationModel
import Synchronization
import Testing

@testable import CoreLocation

/// Lets look-ups wait, so that a test decides what happens meanwhile.
private final class Gate: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  /// A geocoder over the real indexes, whose look-ups wait for this gate.
  func geocoder() -> CLGeocoder {
    let coordinator = AppGeocoding(
      now: { Moment(uptime: .start, unixTime: UnixTime(nanoseconds: 0)) },
      lookUp: { [semaphore] question in
        semaphore.wait()
        return AppGeocoding.answer(question)
      })
    return AppGeocoding.$bound.withValue(coordinator) { CLGeocoder() }
  }

  /// Lets one look-up pass.
  func open() { semaphore.signal() }
}

@Suite("CLGeocoder without an index")
struct CLGeocoderLimitTests {
  /// The uptime of the geocoders of a test.
  private final class Clock: Sendable {
    private let seconds = Mutex(0.0)
    var now: Moment {
      Moment(
        uptime: .start + .seconds(seconds.withLock { $0 }), unixTime: UnixTime(nanoseconds: 0))
    }
    func advance(by more: Double) { seconds.withLock { $0 += more } }
  }

  @MainActor private func code(_ geocoder: CLGeocoder, _ number: Int) async -> CLError.Code? {
    let place = CLLocation(latitude: Double(number), longitude: 10)
    return await withCheckedContinuation { continuation in
      geocoder.reverseGeocodeLocation(place) { _, error in
        continuation.resume(returning: (error as? CLError)?.code)
      }
    }
  }

  @Test("GEO-5: fails with network from the 51st request of a minute on, until the minute is over")
  @MainActor func limit() async {
    let clock = Clock()
    let found = Place(coordinate: Coordinate(latitude: 1, longitude: 2), source: .places)
    let coordinator = AppGeocoding(now: { clock.now }, lookUp: { _ in .success([found]) })
    let geocoders = AppGeocoding.$bound.withValue(coordinator) { [CLGeocoder(), CLGeocoder()] }
    for number in 0..<50 { #expect(await code(geocoders[number % 2], number) == nil) }
    for geocoder in geocoders { #expect(await code(geocoder, 51) == .network) }
    clock.advance(by: 60)
    #expect(await code(geocoders[0], 52) == nil)
  }
}

/// Over the place index of this machine, as an app of this process.
@Suite(
  "CLGeocoder",
  .enabled(
    if: IndexLocation.places.found != nil, "no place index: run Scripts/build_place_index.py"))
struct CLGeocoderTests {
  private static let english = Locale(identifier: "en")
  private static let berlin = CLLocation(latitude: 52.52, longitude: 13.405)

  /// Carried by the main queue alone.
  private static let mainMark: DispatchSpecificKey<Void> = {
    let mark = DispatchSpecificKey<Void>()
    DispatchQueue.main.setSpecific(key: mark, value: ())
    return mark
  }()

  /// How a request ended.
  struct Ending {
    var placemarks: [CLPlacemark]?
    var error: (any Error)?
    /// Whether it was called on the main queue. In an asynchronous main, as the tests have, other
    /// threads serve that queue, so `Thread.isMainThread` would say nothing.
    var isOnMain: Bool
    /// What the geocoder said of itself meanwhile.
    var isGeocoding: Bool

    var code: CLError.Code? { (error as? CLError)?.code }
  }

  /// Waits for the completion of one request of a geocoder.
  @MainActor private func ending(
    of geocoder: CLGeocoder, _ submit: (@escaping CLGeocodeCompletionHandler) -> Void
  ) async -> Ending {
    await withCheckedContinuation { continuation in
      submit { continuation.resume(returning: self.ending($0, $1, geocoder)) }
    }
  }

  private func ending(
    _ placemarks: [CLPlacemark]?, _ error: (any Error)?, _ geocoder: CLGeocoder
  ) -> Ending {
    Ending(
      placemarks: placemarks, error: error,
      isOnMain: DispatchQueue.getSpecific(key: Self.mainMark) != nil,
      isGeocoding: geocoder.isGeocoding)
  }

  @MainActor private func places(of text: String) async -> Ending {
    let geocoder = CLGeocoder()
    return await ending(of: geocoder) {
      geocoder.geocodeAddressString(
        text, in: nil, preferredLocale: Self.english, completionHandler: $0)
    }
  }

  @Test("GEO-1, GEO-2: completes once, on the main thread, and is free again by then")
  @MainActor func completion() async {
    let gate = Gate()
    let geocoder = gate.geocoder()
    #expect(!geocoder.isGeocoding)
    let ending = await ending(of: geocoder) {
      geocoder.reverseGeocodeLocation(Self.berlin, completionHandler: $0)
      #expect(geocoder.isGeocoding)
      gate.open()
    }
    #expect(ending.isOnMain)
    #expect(!ending.isGeocoding)
    #expect(ending.placemarks?.count == 1)
  }

  @Test("GEO-1, GEO-8: answers an app that does not keep its geocoder")
  @MainActor func unkept() async {
    let gate = Gate()
    let places: Int? = await withCheckedContinuation { continuation in
      gate.geocoder().reverseGeocodeLocation(Self.berlin) { places, _ in
        continuation.resume(returning: places?.count)
      }
      gate.open()
    }
    #expect(places == 1)
  }

  @Test("GEO-13: answers an app that may not know where it is")
  @MainActor func unauthorized() async {
    let link = ScriptedLink()
    let app = ClientDescription(app: AppIdentity("an.app"), manifest: Manifest())
    let client = LocationClient(app, over: link)
    link.deliver(
      .state(
        ClientState(authorization: AuthorizationReport(status: .denied), servicesEnabled: false)))
    let ending = await LocationClient.$bound.withValue(client) {
      #expect(CLLocationManager().authorizationStatus == .denied)
      return await places(of: "Berlin")
    }
    #expect(ending.placemarks?.isEmpty == false)
    #expect(ending.error == nil)
  }

  @Test("GEO-8, GEO-9, GEO-12, GEO-14: knows the city at a coordinate, in the language asked for")
  @MainActor func reverse() async throws {
    let geocoder = CLGeocoder()
    let ending = await ending(of: geocoder) {
      geocoder.reverseGeocodeLocation(
        Self.berlin, preferredLocale: Locale(identifier: "de_DE"), completionHandler: $0)
    }
    #expect(ending.error == nil)
    let placemark = try #require(ending.placemarks?.first)
    #expect(placemark.locality == "Berlin")
    #expect(placemark.country == "Deutschland")
    #expect(placemark.isoCountryCode == "DE")
    #expect(placemark.timeZone?.identifier == "Europe/Berlin")
    #expect(try #require(placemark.location).distance(from: Self.berlin) < 20_000)
  }

  @Test("GEO-8: knows the places of a name, best first")
  @MainActor func forward() async throws {
    let found = try #require(await places(of: "Springfield, Illinois").placemarks)
    #expect(found.first?.administrativeArea == "Illinois")
    #expect(found.first?.isoCountryCode == "US")
  }

  @Test("GEO-10: puts those in the region first, and keeps the others")
  func region() async throws {
    let texas = CLCircularRegion(
      center: CLLocationCoordinate2D(latitude: 33.6, longitude: -95.5), radius: 100_000,
      identifier: "around Paris, Texas")
    let found = try await CLGeocoder().geocodeAddressString(
      "Paris", in: texas, preferredLocale: Self.english)
    #expect(found.first?.administrativeArea == "Texas")
    #expect(found.contains { $0.isoCountryCode == "FR" })
  }

  @Test(
    "GEO-7, GEO-9: tells nothing found and only a part found apart, without placemarks",
    arguments: [
      ("qqxzzyqwv", CLError.Code.geocodeFoundNoResult),
      ("Hauptstrasse 5, Berlin", .geocodeFoundPartialResult),
    ])
  @MainActor func failures(_ text: String, _ code: CLError.Code) async {
    let ending = await places(of: text)
    #expect(ending.code == code)
    #expect(ending.placemarks == nil)
    #expect(ending.isOnMain)
  }

  @Test("GEO-16: finds nothing at a coordinate that is none")
  func invalid() async throws {
    let nowhere = CLLocation(latitude: 91, longitude: 0)
    let error = await #expect(throws: CLError.self) {
      try await CLGeocoder().reverseGeocodeLocation(nowhere)
    }
    #expect(error?.code == .geocodeFoundNoResult)
  }

  @Test("GEO-4: a canceled request ends with geocodeCanceled, on the main thread")
  @MainActor func cancel() async {
    let gate = Gate()
    let geocoder = gate.geocoder()
    let ending = await ending(of: geocoder) {
      geocoder.geocodeAddressString("Vienna", completionHandler: $0)
      geocoder.cancelGeocode()
      #expect(!geocoder.isGeocoding)
    }
    gate.open()
    #expect(ending.code == .geocodeCanceled)
    #expect(ending.placemarks == nil)
    #expect(ending.isOnMain)
  }

  @Test("GEO-4: has no request to cancel, and takes the next one all the same")
  @MainActor func cancelIdle() async {
    let geocoder = CLGeocoder()
    geocoder.cancelGeocode()
    let ending = await ending(of: geocoder) {
      geocoder.geocodeAddressString("Lisbon", completionHandler: $0)
    }
    #expect(ending.placemarks?.first?.isoCountryCode == "PT")
  }

  @Test("GEO-3: a second request meanwhile ends with geocodeCanceled, and the first goes on")
  @MainActor func busy() async throws {
    let gate = Gate()
    let geocoder = gate.geocoder()
    let (endings, tell) = AsyncStream.makeStream(of: (String, CLError.Code?).self)
    for name in ["Oslo", "Madrid"] {
      geocoder.geocodeAddressString(name) { _, error in
        tell.yield((name, (error as? CLError)?.code))
      }
    }
    gate.open()
    var codes: [String: CLError.Code?] = [:]
    for await (name, code) in endings.prefix(2) { codes[name] = code }
    #expect(codes == ["Oslo": nil as CLError.Code?, "Madrid": .geocodeCanceled])
  }

  @Test("GEO-17: a canceled task cancels its request")
  @MainActor func canceledTask() async {
    let gate = Gate()
    let task = Task { try await gate.geocoder().geocodeAddressString("Rome").count }
    task.cancel()
    let error = await #expect(throws: CLError.self) { try await task.value }
    gate.open()
    #expect(error?.code == .geocodeCanceled)
  }

  @Test("GEO-3, GEO-17: a canceled task leaves alone what another waits for")
  @MainActor func canceledRival() async throws {
    let gate = Gate()
    let geocoder = gate.geocoder()
    let (endings, tell) = AsyncStream.makeStream(of: Int?.self)
    geocoder.geocodeAddressString("Oslo") { places, _ in tell.yield(places?.count) }
    let rival = Task { @MainActor in try await geocoder.geocodeAddressString("Rome").count }
    rival.cancel()
    let error = await #expect(throws: CLError.self) { try await rival.value }
    #expect(error?.code == .geocodeCanceled)
    gate.open()
    var ending = endings.makeAsyncIterator()
    #expect(try #require(await ending.next() ?? nil) > 0)
  }
}
