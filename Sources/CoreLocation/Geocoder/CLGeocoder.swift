import LocationGeocoding
import LocationModel

/// The completion of a geocoding request, called on the main thread (GEO-1) with placemarks, the
/// best first, or an error; never both (GEO-8, GEO-9).
public typealias CLGeocodeCompletionHandler = ([CLPlacemark]?, (any Error)?) -> Void

/// Finds addresses of places and places of addresses, one request at a time.
open class CLGeocoder: NSObject {
  let link = GeocoderLink()

  /// Makes a geocoder.
  public override init() {}

  /// Whether a request is running; false again before its completion is called (GEO-2).
  open var isGeocoding: Bool { link.isBusy }

  /// Finds the address of a place, in the user's language (GEO-12).
  ///
  /// - Parameters:
  ///   - location: The place; only its coordinate counts.
  ///   - completionHandler: Called once, on the main thread: placemarks, the best first, or an
  ///     error, never both.
  /// - Complexity: One search in the place index, in about the logarithm of its places; a web
  ///   geocoder, if one is configured, takes one request.
  open func reverseGeocodeLocation(
    _ location: CLLocation, completionHandler: @escaping CLGeocodeCompletionHandler
  ) {
    link.submit(location.question(PlaceLocale(nil)), completionHandler)
  }

  /// Finds the address of a place, in a language (GEO-12).
  ///
  /// - Parameters:
  ///   - location: The place; only its coordinate counts.
  ///   - locale: The language of the names in the answer; `nil` means the user's.
  ///   - completionHandler: Called once, on the main thread: placemarks, the best first, or an
  ///     error, never both.
  /// - Complexity: One search in the place index, in about the logarithm of its places; a web
  ///   geocoder, if one is configured, takes one request.
  open func reverseGeocodeLocation(
    _ location: CLLocation, preferredLocale locale: Locale?,
    completionHandler: @escaping CLGeocodeCompletionHandler
  ) {
    link.submit(location.question(PlaceLocale(locale)), completionHandler)
  }

  /// Finds places of an address in one line.
  ///
  /// - Parameters:
  ///   - addressString: An address or the name of a place, in one line.
  ///   - completionHandler: Called once, on the main thread: placemarks, the best first, or an
  ///     error, never both.
  /// - Complexity: One search in the place index for each part of the text, in about the logarithm
  ///   of its names, and linear in the places found, of which a bounded number is compared; a web
  ///   geocoder, if one is configured, takes one request.
  open func geocodeAddressString(
    _ addressString: String, completionHandler: @escaping CLGeocodeCompletionHandler
  ) {
    link.submit(.forward(addressString, nil, PlaceLocale(nil)), completionHandler)
  }

  /// Finds places of an address in one line, those in the region first (GEO-10).
  ///
  /// - Parameters:
  ///   - addressString: An address or the name of a place, in one line.
  ///   - region: Where the place probably lies: a circle moves results near it to the front and
  ///     removes none; `nil`, or another region, changes nothing.
  ///   - completionHandler: Called once, on the main thread: placemarks, the best first, or an
  ///     error, never both.
  /// - Complexity: One search in the place index for each part of the text, in about the logarithm
  ///   of its names, and linear in the places found, of which a bounded number is compared; a web
  ///   geocoder, if one is configured, takes one request.
  open func geocodeAddressString(
    _ addressString: String, in region: CLRegion?,
    completionHandler: @escaping CLGeocodeCompletionHandler
  ) {
    link.submit(.forward(addressString, region?.hint, PlaceLocale(nil)), completionHandler)
  }

  /// Finds places of an address in one line, those in the region first (GEO-10), in a language
  /// (GEO-12).
  ///
  /// - Parameters:
  ///   - addressString: An address or the name of a place, in one line.
  ///   - region: Where the place probably lies: a circle moves results near it to the front and
  ///     removes none; `nil`, or another region, changes nothing.
  ///   - locale: The language of the names in the answer; `nil` means the user's.
  ///   - completionHandler: Called once, on the main thread: placemarks, the best first, or an
  ///     error, never both.
  /// - Complexity: One search in the place index for each part of the text, in about the logarithm
  ///   of its names, and linear in the places found, of which a bounded number is compared; a web
  ///   geocoder, if one is configured, takes one request.
  open func geocodeAddressString(
    _ addressString: String, in region: CLRegion?, preferredLocale locale: Locale?,
    completionHandler: @escaping CLGeocodeCompletionHandler
  ) {
    link.submit(.forward(addressString, region?.hint, PlaceLocale(locale)), completionHandler)
  }

  /// Finds places of an address given by the keys of the address book.
  ///
  /// - Parameters:
  ///   - addressDictionary: Texts by the keys `Street`, `SubLocality`, `City`, `State`, `ZIP`, and
  ///     `Country`; others are ignored.
  ///   - completionHandler: Called once, on the main thread: placemarks, the best first, or an
  ///     error, never both.
  /// - Complexity: One search in the place index for each part of the text, in about the logarithm
  ///   of its names, and linear in the places found, of which a bounded number is compared; a web
  ///   geocoder, if one is configured, takes one request.
  @available(*, deprecated, message: "Use geocodeAddressString")
  open func geocodeAddressDictionary(
    _ addressDictionary: [AnyHashable: Any],
    completionHandler: @escaping CLGeocodeCompletionHandler
  ) {
    let line = ["Street", "SubLocality", "City", "State", "ZIP", "Country"]
      .compactMap { addressDictionary[$0] as? String }
      .joined(separator: ", ")
    link.submit(.forward(line, nil, PlaceLocale(nil)), completionHandler)
  }

  /// Ends the running request with `geocodeCanceled` (GEO-4).
  open func cancelGeocode() {
    link.cancel()
  }
}

extension CLLocation {
  /// Makes the question for the address; a web geocoder receives no more than the accuracy allows.
  fileprivate func question(_ locale: PlaceLocale) -> GeocodeQuestion {
    .reverse(Coordinate(coordinate), locale, accuracy: max(0, horizontalAccuracy))
  }
}

extension CLRegion {
  /// The probable area of the result; `nil` for a region that is no circle.
  fileprivate var hint: RegionHint? {
    (self as? CLCircularRegion).map {
      RegionHint(center: Coordinate($0.center), radius: $0.radius)
    }
  }
}

extension PlaceLocale {
  /// Reads the language of a locale; `nil` means the user's (GEO-12).
  init(_ locale: Locale?) {
    self.init((locale ?? .current).identifier)
  }
}
