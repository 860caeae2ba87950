import CoreLocation

// An app whose main function is not asynchronous: "main" gets delegate calls on the main run loop,
// "thread" on the run loop of a thread of its own, "deaf" on a thread without one, "stuck" not at
// all, as the main run loop does not run.

func say(_ text: String) {
  FileHandle.standardOutput.write(Data("\(text)\n".utf8))
}

final class Listener: NSObject, CLLocationManagerDelegate {
  let asksOnce: Bool

  init(asksOnce: Bool) {
    self.asksOnce = asksOnce
  }

  func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
    say("status \(manager.authorizationStatus.rawValue) on \(place)")
  }

  func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
    for location in locations {
      say("\(asksOnce ? "once" : "location") \(location.coordinate.latitude) on \(place)")
    }
  }

  func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
    say("error \((error as NSError).code) on \(place)")
  }

  private var place: String {
    if Thread.isMainThread { return "main" }
    return Thread.current.threadDictionary["name"] as? String ?? "another thread"
  }
}

func begin() -> [CLLocationManager] {
  [false, true].map { asksOnce in
    let manager = CLLocationManager()
    let listener = Listener(asksOnce: asksOnce)
    manager.delegate = listener
    listeners.append(listener)
    if asksOnce { manager.requestLocation() } else { manager.startUpdatingLocation() }
    return manager
  }
}

nonisolated(unsafe) var listeners: [Listener] = []

func onThread(_ body: @escaping @Sendable () -> Void) {
  Thread {
    Thread.current.threadDictionary["name"] = "own"
    body()
  }.start()
  RunLoop.main.run()
}

switch CommandLine.arguments.dropFirst().first {
case "thread":
  onThread {
    let managers = begin()
    RunLoop.current.run()
    withExtendedLifetime(managers) {}
  }
case "late":
  // The delegate is set after the manager has begun, and the run loop has run.
  let manager = CLLocationManager()
  manager.startUpdatingLocation()
  while manager.location == nil {
    _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.1))
  }
  let listener = Listener(asksOnce: false)
  manager.delegate = listener
  say("delegate")
  RunLoop.main.run()
  withExtendedLifetime(manager) {}
case "last":
  // What is known before anything is started, and then locations.
  let manager = CLLocationManager()
  let listener = Listener(asksOnce: false)
  let words = manager.location.map {
    "\($0.coordinate.latitude) \(Int($0.timestamp.timeIntervalSince1970))"
  }
  say("last \(words ?? "nil")")
  manager.startUpdatingLocation()
  manager.delegate = listener
  RunLoop.main.run()
  withExtendedLifetime(manager) {}
case "deaf":
  onThread {
    let managers = begin()
    while true { pause() }
    withExtendedLifetime(managers) {}
  }
case "stuck":
  let managers = begin()
  while true { pause() }
  withExtendedLifetime(managers) {}
case "background":
  CLLocationManager().allowsBackgroundLocationUpdates = true
  say("still here")
case "unfit":
  final class Unfit: NSObject, CLLocationManagerDelegate {}
  let unfit = Unfit()
  let manager = CLLocationManager()
  manager.delegate = unfit
  manager.requestLocation()
  RunLoop.main.run()
default:
  let managers = begin()
  RunLoop.main.run()
  withExtendedLifetime(managers) {}
}
