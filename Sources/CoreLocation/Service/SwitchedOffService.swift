import Synchronization

/// The location service of a host whose switch is off and that has no receivers.
///
/// It answers as Core Location does there: nothing is available (AVAIL-3), starting fails with the
/// documented error or stays silent (AVAIL-4), and the modern sequences say why (AVAIL-7).
struct SwitchedOffService: LocationService {
  var maximumRegionMonitoringDistance: CLLocationDistance { -1 }

  func supports(_ feature: LocationFeature) -> Bool { false }
  func monitoredRegions() -> Set<CLRegion> { [] }
  func rangedRegions(of manager: CLLocationManager) -> Set<CLRegion> { [] }
  func rangedConstraints(of manager: CLLocationManager) -> Set<CLBeaconIdentityConstraint> { [] }

  func take(_ request: ManagerRequest, of manager: CLLocationManager) {
    switch request {
    case .startMonitoring(let region), .requestState(let region):
      manager.deliver {
        $1.locationManager(
          $0, monitoringDidFailFor: region, withError: CLError(.regionMonitoringFailure))
      }
    case .startRanging(let constraint):
      manager.deliver {
        $1.locationManager(
          $0, didFailRangingFor: constraint, error: CLError(.rangingUnavailable))
      }
    case .startRangingRegion(let region):
      manager.deliver {
        $1.locationManager(
          $0, rangingBeaconsDidFailFor: region, withError: CLError(.rangingUnavailable))
      }
    case .startUpdatingHeading, .stopUpdatingHeading, .dismissHeadingCalibrationDisplay,
      .startSignificantChanges, .stopSignificantChanges, .startVisits, .stopVisits,
      .stopMonitoring, .stopRanging, .stopRangingRegion:
      break
    }
  }

  func openMonitor(_ name: String) -> any MonitorService { SwitchedOffMonitor() }
  func openSession(_ kind: SessionKind) -> any SessionService { SwitchedOffSession() }

  func places(for question: GeocodingQuestion) async throws -> [CLPlacemark] {
    throw CLError(.network)
  }
}

/// A monitor that keeps its conditions and can watch none of them (MON-20).
private final class SwitchedOffMonitor: MonitorService {
  private struct Conditions {
    var records: [(identifier: String, record: CLMonitor.Record)] = []
    var listeners: [AsyncThrowingStream<CLMonitor.Event, any Error>.Continuation] = []
  }

  private let conditions = Mutex(Conditions())

  var identifiers: [String] {
    conditions.withLock { $0.records.map(\.identifier) }
  }

  func record(for identifier: String) -> CLMonitor.Record? {
    conditions.withLock { $0.records.first { $0.identifier == identifier }?.record }
  }

  func add(
    _ condition: any CLCondition, identifier: String, assuming state: CLMonitor.Event.State
  ) {
    let event = CLMonitor.Event(
      identifier: identifier, refinement: nil, state: .unmonitored, date: Date(),
      diagnostics: [.conditionUnsupported, .authorizationDeniedGlobally])
    conditions.withLock {
      $0.records.removeAll { $0.identifier == identifier }
      $0.records.append((identifier, CLMonitor.Record(condition: condition, lastEvent: event)))
      for listener in $0.listeners { listener.yield(event) }
    }
  }

  func remove(_ identifier: String) {
    conditions.withLock { $0.records.removeAll { $0.identifier == identifier } }
  }

  func events() -> AsyncThrowingStream<CLMonitor.Event, any Error> {
    let (stream, listener) = AsyncThrowingStream.makeStream(of: CLMonitor.Event.self)
    conditions.withLock {
      for (_, record) in $0.records { listener.yield(record.lastEvent) }
      $0.listeners.append(listener)
    }
    return stream
  }
}

/// A session that says once that the switch is off.
private final class SwitchedOffSession: SessionService {
  private enum State {
    case open([AsyncThrowingStream<ServiceDiagnostics, any Error>.Continuation])
    case invalidated
  }

  private let state = Mutex(State.open([]))

  func diagnostics() -> AsyncThrowingStream<ServiceDiagnostics, any Error> {
    let (stream, listener) = AsyncThrowingStream.makeStream(of: ServiceDiagnostics.self)
    state.withLock {
      switch $0 {
      case .open(let listeners):
        listener.yield(.authorizationDeniedGlobally)
        $0 = .open(listeners + [listener])
      case .invalidated:
        listener.finish()
      }
    }
    return stream
  }

  func invalidate() {
    state.withLock {
      guard case .open(let listeners) = $0 else { return }
      for listener in listeners { listener.finish() }
      $0 = .invalidated
    }
  }
}
