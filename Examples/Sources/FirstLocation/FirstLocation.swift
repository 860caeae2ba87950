import CoreLocation

@main
struct FirstLocation {
  static func main() async throws {
    let manager = CLLocationManager()
    manager.requestWhenInUseAuthorization()

    for try await update in CLLocationUpdate.liveUpdates() {
      if let location = update.location {
        print(location.coordinate.latitude, location.coordinate.longitude)
        print("within \(location.horizontalAccuracy) m, at \(location.timestamp)")
        break
      }
      if update.authorizationDenied { print("This app may not know where it is.") }
      if update.authorizationRequestInProgress { print("Someone has to answer first.") }
      if update.locationUnavailable { print("No source has a position.") }
    }
  }
}

final class Compass: NSObject, CLLocationManagerDelegate {
  func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
    guard let last = locations.last, last.course >= 0 else { return }
    print("going \(Int(last.course))° at \(last.speed) m/s")
  }

  func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
    print(error.localizedDescription)
  }
}
