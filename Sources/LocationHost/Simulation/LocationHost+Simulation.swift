package import LocationEngine
import LocationLink
import LocationModel
import LocationService

// A place that is set from outside (SIM-15).
extension LocationHost {
  /// Sets the place of the device, or ends that; returns why it cannot be set, or `nil`.
  package func simulate(_ request: SimulatedPosition.Request) -> String? {
    switch request {
    case .fix(let fix), .hold(let fix):
      if let fault = SimulatedPosition.fault(in: fix) { return fault }
    case .end: break
    }
    step(.engine(.simulation(request)))
    return nil
  }

  /// Serves the socket by which the user of this process sets its place.
  func beginToSimulate() {
    guard let path = simulationSocket else { return }
    do throws(Errno) {
      simulations = try SimulationServer(at: path, on: queue) { [weak self] request in
        self?.onQueue { $0.simulate(request) }
      }
    } catch { journal(.source("the place cannot be set from outside: \(error)")) }
  }
}
