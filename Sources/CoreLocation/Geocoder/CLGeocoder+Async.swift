extension CLGeocoder {
  /// Finds the address of a place, in the user's language (GEO-12).
  public func reverseGeocodeLocation(_ location: CLLocation) async throws -> [CLPlacemark] {
    try await places { reverseGeocodeLocation(location, completionHandler: $0) }
  }

  /// Finds the address of a place; `nil` means the user's language (GEO-12).
  public func reverseGeocodeLocation(
    _ location: CLLocation, preferredLocale locale: Locale?
  ) async throws -> [CLPlacemark] {
    try await places {
      reverseGeocodeLocation(location, preferredLocale: locale, completionHandler: $0)
    }
  }

  /// Finds places of an address in one line.
  public func geocodeAddressString(_ addressString: String) async throws -> [CLPlacemark] {
    try await places { geocodeAddressString(addressString, completionHandler: $0) }
  }

  /// Finds places of an address in one line, those in the region first (GEO-10).
  public func geocodeAddressString(
    _ addressString: String, in region: CLRegion?
  ) async throws -> [CLPlacemark] {
    try await places { geocodeAddressString(addressString, in: region, completionHandler: $0) }
  }

  /// Finds places of an address in one line, those in the region first (GEO-10); `nil` means the
  /// user's language (GEO-12).
  public func geocodeAddressString(
    _ addressString: String, in region: CLRegion?, preferredLocale locale: Locale?
  ) async throws -> [CLPlacemark] {
    try await places {
      geocodeAddressString(
        addressString, in: region, preferredLocale: locale, completionHandler: $0)
    }
  }

  /// Finds places of an address given by the keys of the address book.
  @available(*, deprecated, message: "Use geocodeAddressString")
  public func geocodeAddressDictionary(
    _ addressDictionary: [AnyHashable: Any]
  ) async throws -> [CLPlacemark] {
    try await places {
      geocodeAddressDictionary(addressDictionary, completionHandler: $0)
    }
  }

  /// Waits for a completion; canceling the task cancels its request (GEO-17), and not one that the
  /// geocoder runs for somebody else (GEO-3).
  private func places(
    _ submit: (@escaping CLGeocodeCompletionHandler) -> Void
  ) async throws -> [CLPlacemark] {
    let link = link
    let request = link.reserve()
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
