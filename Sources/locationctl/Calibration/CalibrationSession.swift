import LocationCoding
import LocationEngine
import LocationHost
import LocationModel
import LocationProviders

/// A person calibrates an adapter: one meter, then three, then stored.
struct CalibrationSession {
  private let wanted: NamedBeacons
  private let seconds: Int
  private let invocation: Invocation
  private let person: Person
  private let store: CalibrationStore
  private let start: BeaconCalibration

  /// Opens the store first, so that nobody measures in vain.
  init(
    _ wanted: NamedBeacons, _ adapter: BluetoothAddress?, _ seconds: Int, _ invocation: Invocation
  ) throws(Failure) {
    self.wanted = wanted
    self.seconds = seconds
    self.invocation = invocation
    store = try CalibrationStore.find()
    _ = try store.adapters()
    let choice = try SourceChoice(invocation)
    person = try Person(sources: choice.origin == .discovery ? [.bluez] : choice.sources)
    start = BeaconCalibration(of: adapter, needed: seconds)
  }

  func run() async throws {
    let subscription = person.link.subscribe()
    subscription.send { .ranging($0, .start(wanted.constraint)) }
    var calibration = start
    for place in BeaconCalibration.Place.allCases {
      try ask(place)
      try await listen(at: place, subscription, &calibration)
      let summary = try refusing { () throws(BeaconCalibration.Refusal) in
        try calibration.check(place)
      }
      say("\(place.distance) m: \(text(summary))")
    }
    let result = try refusing { () throws(BeaconCalibration.Refusal) in
      try calibration.result()
    }
    try store.store(result.offset, of: result.adapter)
    finish(result.adapter, result.offset)
  }

  private func ask(_ place: BeaconCalibration.Place) throws(Failure) {
    say(
      "Put the beacon \(place.distance) m from this computer, nobody between, and press Return.")
    guard readLine() != nil else {
      throw .refused(
        "nobody has pressed Return at \(place.distance) m; nothing is stored",
        next: "the same on a terminal")
    }
  }

  /// Counts the reports from now on; gives up after twice the time.
  private func listen(
    at place: BeaconCalibration.Place, _ subscription: PersonLink.Subscription,
    _ calibration: inout BeaconCalibration
  ) async throws {
    // The second that is running now was in part heard elsewhere.
    var last = HostClock.now.unixTime + .seconds(1)
    let end = HostClock.now.uptime + .seconds(2 * seconds + 5)
    var table = LiveTable()
    if person.host.beaconReception() != nil { try checkRadio() }
    for await signal in subscription.signals {
      switch signal {
      case .failed: try checkRadio()
      case .heading: break
      case .beacons: try count(&last, at: place, &calibration)
      }
      if !invocation.has(.json), Output.standard.isTerminal {
        table.show(["\(place.distance) m: " + (calibration.summary(at: place).map(text) ?? "…")])
      }
      if calibration.isComplete(at: place) || HostClock.now.uptime >= end { break }
    }
    if !invocation.has(.json), Output.standard.isTerminal { table.show([]) }
  }

  /// Counts what the last report has heard since the one before.
  private func count(
    _ last: inout UnixTime, at place: BeaconCalibration.Place,
    _ calibration: inout BeaconCalibration
  ) throws(Failure) {
    let date = last
    let new = person.host.beaconReadings().filter { $0.time > date }
    last = max(last, new.map(\.time).max() ?? last)
    try refusing { () throws(BeaconCalibration.Refusal) in try calibration.add(new, at: place) }
  }

  /// The adapter may have vanished, or been switched off; one that is back goes on.
  private func checkRadio() throws(Failure) {
    guard person.host.beaconReception() != .listening else { return }
    throw person.silence("no adapter receives beacons, and nothing is stored")
  }

  private func refusing<Value>(
    _ body: () throws(BeaconCalibration.Refusal) -> Value
  ) throws(Failure) -> Value {
    do throws(BeaconCalibration.Refusal) { return try body() } catch {
      throw .refused("\(error); nothing is stored", next: "the same again")
    }
  }

  private func text(_ summary: BeaconCalibration.Summary) -> String {
    "\(summary.count) of \(seconds) seconds, median \(summary.median.digits(1)) dBm, half of them within "
      + "\(summary.spread.digits(0)) dB"
  }

  /// Guidance is no output for programs.
  private func say(_ text: String) {
    (invocation.has(.json) ? Output.error : Output.standard).line(text)
  }

  private func finish(_ adapter: BluetoothAddress, _ offset: Int) {
    guard invocation.has(.json) else {
      return say("stored: the adapter \(adapter) receives \(offset) dB more than the beacon claims")
    }
    var line = JSONLine(type: "calibrated")
    line.add("adapter", "\(adapter)")
    line.add("offset", offset)
    Output.standard.line(line.text)
  }
}
