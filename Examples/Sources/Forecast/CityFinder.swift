import CoreLocation

@MainActor
final class CityFinder: NSObject, @MainActor CLLocationManagerDelegate {
  private let manager = CLLocationManager()
  private var best: CLLocation?
  private var timeout: Task<Void, any Error>?
  private var completion: ((CLLocation?) -> Void)?

  func find(_ completion: @escaping (CLLocation?) -> Void) {
    self.completion = completion
    manager.delegate = self
    manager.desiredAccuracy = kCLLocationAccuracyThreeKilometers
    switch manager.authorizationStatus {
    case .notDetermined: manager.requestWhenInUseAuthorization()
    case .denied, .restricted: finish(nil)
    default: start()
    }
  }

  private func start() {
    guard timeout == nil else { return }
    manager.startUpdatingLocation()
    timeout = Task {
      try await Task.sleep(for: .seconds(10))
      finish(best)
    }
  }

  private func finish(_ location: CLLocation?) {
    timeout?.cancel()
    timeout = nil
    manager.stopUpdatingLocation()
    completion?(location)
    completion = nil
  }

  func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
    switch manager.authorizationStatus {
    case .notDetermined: break
    case .denied, .restricted: finish(nil)
    default: if completion != nil { start() }
    }
  }

  func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
    guard let last = locations.last, last.horizontalAccuracy >= 0 else { return }
    best = last
    if last.horizontalAccuracy <= 5_000, -last.timestamp.timeIntervalSinceNow <= 600 {
      finish(last)
    }
  }

  func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
    if case CLError.locationUnknown = error { return }
    finish(nil)
  }
}
