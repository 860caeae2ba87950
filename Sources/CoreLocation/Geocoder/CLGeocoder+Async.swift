extension CLGeocoder {
  /// Finds the address of a place, in the user's language (GEO-12).
  ///
  /// - Parameter location: The place; only its coordinate counts.
  /// - Returns: Placemarks, the best first; one as a rule.
  /// - Throws: `CLError`: `geocodeFoundNoResult` when nothing is found, `geocodeFoundPartialResult`
  ///   when only a part of the address is, `geocodeCanceled` when another request runs or this one
  ///   is canceled, `network` when there is no index, no answer from the web service, or too many
  ///   requests were made. An invalid coordinate has no result (GEO-16).
  /// - Complexity: One search in the place index, in about the logarithm of its places; a web
  ///   geocoder, if one is configured, takes one request.
  public func reverseGeocodeLocation(_ location: CLLocation) async throws -> [CLPlacemark] {
    try await places { reverseGeocodeLocation(location, completionHandler: $0) }
  }

  /// Finds the address of a place, in a language (GEO-12).
  ///
  /// - Parameters:
  ///   - location: The place; only its coordinate counts.
  ///   - locale: The language of the names in the answer; `nil` means the user's.
  /// - Returns: Placemarks, the best first; one as a rule.
  /// - Throws: `CLError`: `geocodeFoundNoResult` when nothing is found, `geocodeFoundPartialResult`
  ///   when only a part of the address is, `geocodeCanceled` when another request runs or this one
  ///   is canceled, `network` when there is no index, no answer from the web service, or too many
  ///   requests were made. An invalid coordinate has no result (GEO-16).
  /// - Complexity: One search in the place index, in about the logarithm of its places; a web
  ///   geocoder, if one is configured, takes one request.
  public func reverseGeocodeLocation(
    _ location: CLLocation, preferredLocale locale: Locale?
  ) async throws -> [CLPlacemark] {
    try await places {
      reverseGeocodeLocation(location, preferredLocale: locale, completionHandler: $0)
    }
  }

  /// Finds places of an address in one line.
  ///
  /// - Parameter addressString: An address or the name of a place, in one line.
  /// - Returns: Placemarks, the best first; at least one.
  /// - Throws: `CLError`: `geocodeFoundNoResult` when nothing is found, `geocodeFoundPartialResult`
  ///   when only a part of the address is, `geocodeCanceled` when another request runs or this one
  ///   is canceled, `network` when there is no index, no answer from the web service, or too many
  ///   requests were made.
  /// - Complexity: One search in the place index for each part of the text, in about the logarithm
  ///   of its names, and linear in the places found, of which a bounded number is compared; a web
  ///   geocoder, if one is configured, takes one request.
  public func geocodeAddressString(_ addressString: String) async throws -> [CLPlacemark] {
    try await places { geocodeAddressString(addressString, completionHandler: $0) }
  }

  /// Finds places of an address in one line, those in the region first (GEO-10).
  ///
  /// - Parameters:
  ///   - addressString: An address or the name of a place, in one line.
  ///   - region: Where the place probably lies: a circle moves results near it to the front and
  ///     removes none; `nil`, or another region, changes nothing.
  /// - Returns: Placemarks, the best first; at least one.
  /// - Throws: `CLError`: `geocodeFoundNoResult` when nothing is found, `geocodeFoundPartialResult`
  ///   when only a part of the address is, `geocodeCanceled` when another request runs or this one
  ///   is canceled, `network` when there is no index, no answer from the web service, or too many
  ///   requests were made.
  /// - Complexity: One search in the place index for each part of the text, in about the logarithm
  ///   of its names, and linear in the places found, of which a bounded number is compared; a web
  ///   geocoder, if one is configured, takes one request.
  public func geocodeAddressString(
    _ addressString: String, in region: CLRegion?
  ) async throws -> [CLPlacemark] {
    try await places { geocodeAddressString(addressString, in: region, completionHandler: $0) }
  }

  /// Finds places of an address in one line, those in the region first (GEO-10), in a language
  /// (GEO-12).
  ///
  /// - Parameters:
  ///   - addressString: An address or the name of a place, in one line.
  ///   - region: Where the place probably lies: a circle moves results near it to the front and
  ///     removes none; `nil`, or another region, changes nothing.
  ///   - locale: The language of the names in the answer; `nil` means the user's.
  /// - Returns: Placemarks, the best first; at least one.
  /// - Throws: `CLError`: `geocodeFoundNoResult` when nothing is found, `geocodeFoundPartialResult`
  ///   when only a part of the address is, `geocodeCanceled` when another request runs or this one
  ///   is canceled, `network` when there is no index, no answer from the web service, or too many
  ///   requests were made.
  /// - Complexity: One search in the place index for each part of the text, in about the logarithm
  ///   of its names, and linear in the places found, of which a bounded number is compared; a web
  ///   geocoder, if one is configured, takes one request.
  public func geocodeAddressString(
    _ addressString: String, in region: CLRegion?, preferredLocale locale: Locale?
  ) async throws -> [CLPlacemark] {
    try await places {
      geocodeAddressString(
        addressString, in: region, preferredLocale: locale, completionHandler: $0)
    }
  }

  /// Finds places of an address given by the keys of the address book.
  ///
  /// - Parameter addressDictionary: Texts by the keys `Street`, `SubLocality`, `City`, `State`,
  ///   `ZIP`, and `Country`; others are ignored.
  /// - Returns: Placemarks, the best first; at least one.
  /// - Throws: `CLError`: `geocodeFoundNoResult` when nothing is found, `geocodeFoundPartialResult`
  ///   when only a part of the address is, `geocodeCanceled` when another request runs or this one
  ///   is canceled, `network` when there is no index, no answer from the web service, or too many
  ///   requests were made.
  /// - Complexity: One search in the place index for each part of the text, in about the logarithm
  ///   of its names, and linear in the places found, of which a bounded number is compared; a web
  ///   geocoder, if one is configured, takes one request.
  @available(*, deprecated, message: "Use geocodeAddressString")
  public func geocodeAddressDictionary(
    _ addressDictionary: [AnyHashable: Any]
  ) async throws -> [CLPlacemark] {
    try await places {
      geocodeAddressDictionary(addressDictionary, completionHandler: $0)
    }
  }

  /// Waits for a completion; canceling the task cancels only its own request (GEO-17), and no other
  /// request of the geocoder (GEO-3).
  private func places(
    _ submit: (@escaping CLGeocodeCompletionHandler) -> Void
  ) async throws -> [CLPlacemark] {
    let link = link
    let request = link.reserve()
    defer { link.goesOn() }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        GeocoderLink.$reserved.withValue(request) {
          submit { placemarks, error in
            if let placemarks {
              continuation.resume(returning: placemarks)
            } else {
              continuation.resume(throwing: error ?? CLError(.geocodeFoundNoResult))
            }
          }
        }
        if Task.isCancelled { link.withdraw(request) }
      }
    } onCancel: {
      link.withdraw(request)
    }
  }
}
