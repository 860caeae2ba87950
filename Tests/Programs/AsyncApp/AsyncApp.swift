import CoreLocation

/// An app whose main function is asynchronous: a delegate, and two loops side by side, of which one
/// is canceled.
@main
struct AsyncApp {
  static func main() async throws {
    let listener = Listener()
    let manager = CLLocationManager()
    manager.delegate = listener
    manager.startUpdatingLocation()

    let canceled = Task {
      var count = 0
      for try await update in CLLocationUpdate.liveUpdates(.fitness) where update.location != nil {
        count += 1
        say("canceled loop \(count)")
      }
      say("canceled loop ends")
    }
    var count = 0
    for try await update in CLLocationUpdate.liveUpdates() {
      guard let location = update.location else {
        say("no location\(update.authorizationRequestInProgress ? ", asking" : "")")
        continue
      }
      count += 1
      say("live \(location.coordinate.latitude)")
      if count == 2 { canceled.cancel() }
      if count == 4 { break }
    }
    try await canceled.value
    let first = try await CLLocationUpdate.liveUpdates().first { @Sendable in $0.location != nil }
    say("again \(first?.location?.coordinate.latitude ?? 0)")
    withExtendedLifetime((manager, listener)) {}
  }
}

func say(_ text: String) {
  FileHandle.standardOutput.write(Data("\(text)\n".utf8))
}

final class Listener: NSObject, CLLocationManagerDelegate {
  func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
    for location in locations { say("delegate \(location.coordinate.latitude)") }
  }
}
