import CoreLocation

/// Prints where the device is, as two kinds of app would receive it: a loop over live updates, and
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
      if let location = update.location {
        print(Row(location, receivedBy: "live").text)
        count += 1
      } else {
        print(Row.note(update.reason, receivedBy: "live"))
        if count > 0 || update.authorizationDenied { break }
      }
    }
    manager.stopUpdatingLocation()
    print("\(count) live updates, \(delegate.count) to the delegate")
  }
}

/// The delegate of a manager.
final class Reporter: NSObject, CLLocationManagerDelegate {
  private(set) var count = 0

  func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
    for location in locations { print(Row(location, receivedBy: "delegate").text) }
    count += locations.count
  }

  func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
    print(Row.note(error.localizedDescription, receivedBy: "delegate"))
  }
}

/// One location as a line of a table.
struct Row {
  let text: String

  /// The titles of the columns after the two on the left, with their widths.
  private static let columns = [
    ("latitude", 12), ("longitude", 12), ("accuracy", 9), ("altitude", 10), ("speed", 10),
    ("course", 7),
  ]

  static let heading =
    left("UTC", "received by") + columns.map { right($0.0, width: $0.1) }.joined() + "  source"

  /// A line that has something to say instead of a location.
  static func note(_ text: String, receivedBy name: String) -> String {
    left("", name) + "  " + text
  }

  init(_ location: CLLocation, receivedBy name: String) {
    let time = location.timestamp.formatted(.iso8601.time(includingFractionalSeconds: false))
    let isReplay = location.sourceInformation?.isSimulatedBySoftware == true
    let (speed, course) = (location.speed, location.course)
    let values = [
      String(format: "%.6f°", location.coordinate.latitude),
      String(format: "%.6f°", location.coordinate.longitude),
      String(format: "%.1f m", location.horizontalAccuracy),
      location.verticalAccuracy > 0 ? String(format: "%.1f m", location.altitude) : nil,
      speed >= 0 ? String(format: "%.1f m/s", speed) : nil,
      course >= 0 ? String(format: "%.0f°", course) : nil,
    ]
    let cells = zip(values, Self.columns).map { Self.right($0 ?? "–", width: $1.1) }
    text = Self.left(time, name) + cells.joined() + (isReplay ? "  replay" : "  receiver")
  }

  private static func left(_ time: String, _ name: String) -> String {
    time.padding(toLength: 10, withPad: " ", startingAt: 0)
      + name.padding(toLength: 8, withPad: " ", startingAt: 0)
  }

  private static func right(_ text: String, width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
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
