import LocationEngine
import LocationFleet
import TestSupport

/// Recorded phones as the devices of one fleet, and each alone with the whole engine: how many events agree in
/// everything, and what differs.
///
/// `Benchmarks fleet-phones [FOLDER [PHONE…]]`, as `phones`. The fences are circles of 50, 100, 200, and 500 m around
/// the places at which the phones stayed, for all phones.
func measureFleetPhones() throws {
  let days = try PhoneDay.chosen(CommandLine.arguments.dropFirst(2))
  guard !days.isEmpty else { throw MissingPeer(text: "\(SharedData.isMissing)") }
  let fleet = RecordedFleet(days)
  let fixes = days.reduce(0) { $0 + $1.fixes.count }
  print("\(days.count) phone-days, \(fixes) fixes, \(fleet.fences.count) fences")
  let dated = fleet.alone(.dates)
  let ignored = dated.ignored.sorted { $0.key.rawValue < $1.key.rawValue }
  print("not believed by a phone alone: \(ignored.map { "\($0.value) \($0.key)" })")
  let disturbed = try fleet.together(.disturbed)
  let rejected = disturbed.counts.rejected.sorted { $0.key.rawValue < $1.key.rawValue }
  print("not used by the fleet: \(rejected.map { "\($0.value) \($0.key)" })")
  let comparison = EventComparison(dated.events, with: disturbed.events)
  try report("dates", comparison, "mixed, swapped, and doubled, over alone by dates")
  let flaps = Double(fleet.falseExits(in: disturbed.events))
  try Figure.report("fleet.phones.flaps", flaps, "", "exits from circles where the phone stayed")
  let live = try fleet.together(.deliveries).events
  for (name, inputs) in [("live", RecordedFleet.Alone.deliveries), ("motion", .motion)] {
    let text = name == "live" ? "alone as delivered" : "alone with a motion sensor, too"
    try report(
      name, EventComparison(fleet.alone(inputs).events, with: live), "as delivered, over \(text)")
  }
}

/// Prints how far the fleet agrees with phones that have been given something.
private func report(_ name: String, _ comparison: EventComparison, _ text: String) throws {
  let shifts = comparison.shifts.map(\.magnitude)
  let figures: [(String, Int, String)] = [
    ("same", comparison.same, "equal in everything"),
    ("shifted", shifts.count, "decided at another time or with other evidence"),
    ("alone", comparison.onlyAlone.count, "of the phone alone only"),
    ("fleet", comparison.onlyFleet.count, "of the fleet only"),
  ]
  for (part, count, what) in figures {
    try Figure.report("fleet.phones.\(name).\(part)", Double(count), "", "\(text): \(what)")
  }
  guard !shifts.isEmpty else { return }
  for (part, share) in [("median", 0.5), ("p90", 0.9)] {
    try Figure.report(
      "fleet.phones.\(name).\(part)", shifts.quantile(share), "s",
      "\(text): decided apart, \(part)")
  }
}
