import LocationEngine
import LocationHost
import LocationLink
import LocationModel
import LocationService

// What the owner sees of the present moment, beside what is decided. All of it is computed when the
// owner asks: the path of a fix keeps nothing for it.
extension LocationHost {
  func sources(places: Bool) -> [SourceStatus] {
    zip(core.sourceReports, core.skies).enumerated().map { index, found in
      var status = SourceStatus(found.0, places: places)
      status.fix = core.engine.ownFix(of: ProviderID(index)).map {
        OwnFixStatus($0, places: places)
      }
      if !found.1.isEmpty { status.satellites = found.1.map { places ? $0 : $0.withoutPlace } }
      return status
    }
  }

  /// Adds what is known now to the status.
  func observe(_ status: inout DaemonStatus, places: Bool) {
    status.heading = core.engine.latestHeading.map { heading in
      // The dip of the field, and the declination, are those of a place.
      var heading = heading
      heading.field = nil
      if !places { heading.trueHeading = nil }
      return heading
    }
    status.coarse = core.engine.coarseFix.map { LastFix($0, places: places) }
    let beacons = places ? core.engine.rangedBeacons : []
    if !beacons.isEmpty { status.beacons = beacons }
    status.motion = core.engine.motionReport.map {
      MotionStatus(
        activity: $0.activity?.rawValue, speed: $0.speed, isDoubting: $0.isDoubting)
    }
    status.visit = core.engine.currentVisit.map { visit, departure in
      VisitStatus(
        arrival: visit.arrival, accuracy: visit.horizontalAccuracy,
        place: places ? visit.coordinate : nil, departure: departure.map { BeliefStatus($0) })
    }
    status.shares = core.engine.demandShares.filter { $0.demand != .none }.map {
      ShareStatus(client: $0.client, demand: DemandStatus($0.demand))
    }
  }
}

extension LastFix {
  init(_ fix: Fix, places: Bool) {
    self.init(
      time: fix.time, accuracy: fix.horizontalAccuracy, place: places ? fix.coordinate : nil)
  }
}

extension OwnFixStatus {
  init(_ own: OwnFix, places: Bool) {
    let (use, reason): (String, IgnoreReason?) =
      switch own.use {
      case .current: ("current", nil)
      case .fused: ("fused", nil)
      case .earlier: ("earlier", nil)
      case .refused(let reason): ("refused", reason)
      }
    self.init(
      time: own.fix.time, accuracy: own.fix.horizontalAccuracy, use: use,
      reason: reason?.rawValue)
    if places { place = own.fix.coordinate }
  }
}

extension BeliefStatus {
  init(_ belief: Belief) {
    self.init(
      towards: belief.towards.rawValue, probability: belief.probability,
      threshold: belief.threshold, since: belief.since, fixes: belief.fixes,
      earliest: belief.earliest)
  }
}

extension Satellite {
  /// Without where it stands, by which a place can be computed.
  fileprivate var withoutPlace: Satellite {
    var satellite = self
    (satellite.elevation, satellite.azimuth) = (nil, nil)
    return satellite
  }
}
