import CoreLocation
import Foundation
import Testing

/// A delegate that writes down what it receives.
private class Listener: NSObject, CLLocationManagerDelegate {
  var received: [String] = []

  func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
    received.append("error \((error as NSError).code)")
  }

  func locationManager(
    _ manager: CLLocationManager, didChangeAuthorization status: CLAuthorizationStatus
  ) {
    received.append("status \(status.rawValue)")
  }

  func locationManager(
    _ manager: CLLocationManager, didUpdateTo newLocation: CLLocation,
    from oldLocation: CLLocation
  ) {
    received.append("\(oldLocation.coordinate.latitude) to \(newLocation.coordinate.latitude)")
  }
}

/// The same with its own property `locationManager`, as apps often have.
private final class Owner: Listener {
  let locationManager = CLLocationManager()
}

/// A double, as apps' tests make it.
private final class ManagerDouble: CLLocationManager {
  override var authorizationStatus: CLAuthorizationStatus { .authorizedWhenInUse }
  override var location: CLLocation? { CLLocation(latitude: 7, longitude: 8) }
  override class func locationServicesEnabled() -> Bool { true }
  override func requestLocation() {
    delegate?.locationManager?(self, didFailWithError: CLError(.network))
  }
}

@Suite("A delegate")
struct DelegateTests {
  /// On the main thread, whose run loop does not call the delegate meanwhile.
  @Test("receives calls that are written for optional methods")
  @MainActor func optionalCalls() {
    let listener = Listener()
    let manager = CLLocationManager()
    manager.delegate = listener
    manager.delegate?.locationManager?(manager, didFailWithError: CLError(.denied))
    #expect(listener.received == ["error 1"])
    #expect(manager.delegate?.locationManagerShouldDisplayHeadingCalibration?(manager) == false)
  }

  @Test("that has a property named locationManager receives them, too")
  func ownProperty() {
    let owner = Owner()
    let delegate: any CLLocationManagerDelegate = owner
    delegate.locationManager?(owner.locationManager, didFailWithError: CLError(.network))
    #expect(owner.received == ["error 2"])
  }

  @Test("of the old kind learns of authorization by the older method")
  func olderAuthorization() {
    let listener = Listener()
    let delegate: any CLLocationManagerDelegate = listener
    delegate.locationManagerDidChangeAuthorization(ManagerDouble())
    delegate.locationManagerDidChangeAuthorization?(ManagerDouble())
    #expect(listener.received == ["status 4", "status 4"])
  }

  @Test("of the oldest kind learns of the newest location and the one before it")
  func oldestUpdates() {
    let listener = Listener()
    let delegate: any CLLocationManagerDelegate = listener
    let locations = [1.0, 2, 3].map { CLLocation(latitude: $0, longitude: 0) }
    delegate.locationManager(CLLocationManager(), didUpdateLocations: locations)
    delegate.locationManager(CLLocationManager(), didUpdateLocations: [])
    #expect(listener.received == ["2.0 to 3.0"])
  }

  @Test("is not kept alive by the manager")
  func weakness() {
    let manager = CLLocationManager()
    do {
      let listener = Listener()
      manager.delegate = listener
      #expect(manager.delegate === listener)
    }
    #expect(manager.delegate == nil)
  }

  /// On the main thread, where the manager's own first callback (AUTH-10) does not come meanwhile.
  @Test("receives what a double of the manager says")
  @MainActor func double() {
    let listener = Listener()
    let manager: CLLocationManager = ManagerDouble()
    manager.delegate = listener
    manager.requestLocation()
    #expect(listener.received == ["error 2"])
    #expect(manager.location?.coordinate.latitude == 7)
    #expect(type(of: manager).locationServicesEnabled())
  }
}
