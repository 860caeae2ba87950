extension CLLocationManager {
  /// Asks the person for full accuracy until the app is no longer used, and returns after the
  /// answer, which ``accuracyAuthorization`` then reflects (AUTH-47, AUTH-49).
  ///
  /// - Parameter purposeKey: The key of the text for the person in
  ///   `NSLocationTemporaryUsageDescriptionDictionary` of the app's property list.
  /// - Throws: `CLError`: `promptDeclined` when the person was not asked, because the key is
  ///   missing, accuracy is full already, or the app is not in the foreground (AUTH-48); `denied`
  ///   when the app may not know its location at all (AUTH-51).
  public func requestTemporaryFullAccuracyAuthorization(
    withPurposeKey purposeKey: String
  ) async throws {
    link.client.watch?.waits(for: "the person's answer")
    defer { link.client.watch?.goesOn() }
    try await withCheckedThrowingContinuation {
      (continuation: CheckedContinuation<Void, any Error>) in
      requestTemporaryFullAccuracyAuthorization(withPurposeKey: purposeKey) { error in
        if let error { continuation.resume(throwing: error) } else { continuation.resume() }
      }
    }
  }

  /// Fails: this platform has no location pushes.
  ///
  /// - Returns: Never.
  /// - Throws: Always `CLLocationPushServiceError.unsupportedPlatform`.
  public func startMonitoringLocationPushes() async throws -> Data {
    try await withCheckedThrowingContinuation { continuation in
      startMonitoringLocationPushes { token, error in
        if let token {
          continuation.resume(returning: token)
        } else {
          continuation.resume(throwing: error ?? CLLocationPushServiceError(.unknown))
        }
      }
    }
  }

  /// Fails: this platform does not remember where the device was (STD-58).
  ///
  /// - Parameters:
  ///   - purposeKey: Not used.
  ///   - sampleCount: Not used.
  /// - Returns: Never.
  /// - Throws: Always `CLError.historicalLocationError`.
  public func historicalLocations(
    purposeKey: String, sampleCount: Int
  ) async throws -> [CLLocation] {
    try await withCheckedThrowingContinuation { continuation in
      requestHistoricalLocations(purposeKey: purposeKey, sampleCount: sampleCount) { found, error in
        if let error {
          continuation.resume(throwing: error)
        } else {
          continuation.resume(returning: found)
        }
      }
    }
  }
}
