import CoreLocation
import INTULocationManager

func showAsGuess() { print("This is a guess:") }

func showForecast(at location: CLLocation?, asGuess isGuess: Bool = false) {
  guard let location else { return print("No idea where you are.") }
  let place = "\(location.coordinate.latitude), \(location.coordinate.longitude)"
  print(isGuess ? "Perhaps rain at \(place)" : "Rain at \(place)")
}

func showCityPicker(because status: INTULocationStatus) { print("Which city? (\(status))") }

/// The shortest use.
func printCity() async throws {
  let city = try await INTULocationManager.shared.location(accuracy: .city, timeout: .seconds(10))
  print(city.location.coordinate, city.achievedAccuracy)
}

/// The same by block.
func findCityByBlock(_ manager: INTULocationManager) {
  manager.requestLocation(withDesiredAccuracy: .city, timeout: 10, delayUntilAuthorized: true) {
    location, achievedAccuracy, status in
    switch status {
    case .success: showForecast(at: location)
    case .timedOut: showForecast(at: location, asGuess: true)
    default: showCityPicker(because: status)
    }
  }
}
