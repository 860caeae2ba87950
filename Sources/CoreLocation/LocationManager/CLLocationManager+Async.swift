extension CLLocationManager {
  /// Asks the person for full accuracy until the app is no longer used; the key names the purpose
  /// in the app's information dictionary. Returns when they have answered.
  public func requestTemporaryFullAccuracyAuthorization(
    withPurposeKey purposeKey: String
  ) async throws {
    link.client.watch?.waits()
    defer { link.client.watch?.goesOn() }
    try await withCheckedThrowingContinuation {
      (continuation: CheckedContinuation<Void, any Error>) in
      requestTemporaryFullAccuracyAuthorization(withPurposeKey: purposeKey) { error in
        if let error { continuation.resume(throwing: error) } else { continuation.resume() }
      }
    }
  }

  /// Would return a token for location pushes; this platform has none, so this throws
  /// `CLLocationPushServiceError.unsupportedPlatform`.
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

  /// Would tell where the device was; this platform does not remember, so this throws
  /// `historicalLocationError` (STD-58).
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
