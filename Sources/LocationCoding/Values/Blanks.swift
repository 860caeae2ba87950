package import LocationModel

// The values that stand for a required member until it is read.

extension UnixTime {
  package static let blank = UnixTime(nanoseconds: 0)
}

extension AppIdentity {
  package static let blank = AppIdentity("")
}

extension Coordinate {
  package static let blank = Coordinate(latitude: .nan, longitude: .nan)
}

extension BeaconUUID {
  static let blank = BeaconUUID(high: 0, low: 0)
}

extension BeaconIdentity {
  static let blank = BeaconIdentity(uuid: .blank, major: 0, minor: 0)
}

extension ConditionEvent {
  package static let blank = ConditionEvent(identifier: "", state: .unknown, date: .blank)
}

extension Visit {
  static let blank = Visit(arrival: nil, coordinate: .blank, horizontalAccuracy: 0)
}

extension PendingEvent {
  package static let blank = PendingEvent.visit(.blank)
}

extension DeliveredEvent {
  package static let blank = DeliveredEvent(.visit, nil, "", since: .blank)
}
