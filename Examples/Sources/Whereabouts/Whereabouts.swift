import CoreLocation

/// Prints where the device is, as two kinds of app would hear it: a loop over live updates, and
/// the delegate of a manager. Says `import CoreLocation` and nothing else.
@main
struct Whereabouts {
  static func main() async throws {
    let delegate = Reporter()
    let manager = CLLocationManager()
    manager.delegate = delegate
    manager.requestWhenInUseAuthorization()
    manager.startUpdatingLocation()

    print(Row.heading)
    var count = 0
    for try await update in CLLocationUpdate.liveUpdates() {
      guard let location = update.location else {
        print("         live     \(update.reason)")
        if count > 0 { break }
        continue
      }
      print(Row(location, heardBy: "live").text)
      count += 1
    }
    manager.stopUpdatingLocation()
    print("\(count) live updates, \(delegate.count) to the delegate")
  }
}

/// The delegate of a manager.
final class Reporter: NSObject, CLLocationManagerDelegate {
  private(set) var count = 0

  func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
    for location in locations { print(Row(location, heardBy: "delegate").text) }
    count += locations.count
  }

  func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
    print("         delegate \(error.localizedDescription)")
  }
}

/// One location as a line of a table.
struct Row {
  let text: String

  static let heading =
    "time     heard by   latitude    longitude   accuracy   speed   course   altitude  source"

  init(_ location: CLLocation, heardBy name: String) {
    let time = location.timestamp.formatted(
      .dateTime.hour(.twoDigits(amPM: .omitted)).minute(.twoDigits).second(.twoDigits))
    let origin = location.sourceInformation?.isSimulatedBySoftware == true ? "replay" : "receiver"
    let columns = [
      name.padding(toLength: 8, withPad: " ", startingAt: 0),
      Self.number(location.coordinate.latitude, digits: 6, width: 11, unit: "°"),
      Self.number(location.coordinate.longitude, digits: 6, width: 11, unit: "°"),
      Self.number(location.horizontalAccuracy, digits: 1, width: 7, unit: " m"),
      Self.number(location.speed, digits: 1, width: 5, unit: " m/s", isKnown: location.speed >= 0),
      Self.number(location.course, digits: 0, width: 4, unit: "°", isKnown: location.course >= 0),
      Self.number(
        location.altitude, digits: 1, width: 7, unit: " m", isKnown: location.verticalAccuracy > 0),
      origin,
    ]
    text = ([time] + columns).joined(separator: " ")
  }

  private static func number(
    _ value: Double, digits: Int, width: Int, unit: String, isKnown: Bool = true
  ) -> String {
    let number = isKnown ? String(format: "%.\(digits)f", value) + unit : "–"
    return String(repeating: " ", count: max(0, width + unit.count - number.count)) + number
  }
}

extension CLLocationUpdate {
  /// Why there is no location.
  var reason: String {
    if authorizationRequestInProgress { return "waiting for the answer to the question" }
    if authorizationDenied { return "the app may not know" }
    if insufficientlyInUse { return "the app is not in use" }
    if serviceSessionRequired { return "the app must hold a service session" }
    return "no location can be had at the moment"
  }
}
