// Finds the city for a forecast: the code of the article that compares requests with
// CLLocationManager.
import INTULocationManager

let manager = INTULocationManager.shared
let city = try await manager.location(
  accuracy: .city, timeout: .seconds(10), delayUntilAuthorized: true)
if city.isTimedOut { showAsGuess() }
showForecast(at: city.location)
