import LocationModel

/// Sends a service that the owner has named for it what the radios receive, with the position of a
/// satellite receiver: of journeys only, thinned, late, and without what tells whose they are.
///
/// Nothing is sent of the surroundings of a place where this computer rested, or where its receiver
/// was first or last heard; of the time the service receives the hour, and of the order nothing. It
/// awaits no time: what waits is sent when the next scan comes.
struct GeosubmitDriver: SourceDriver {
  private struct Observation: Hashable {
    var place: Coordinate
    var at: Instant
    var json: String
  }

  private let service: IchnaeaService
  private var status = ProviderStatus.idle
  private var rests = RestPlaces()
  /// In the order in which they came.
  private var waiting: [Observation] = []
  /// The observations that are under way, the first of `waiting`; 0 without a request.
  private var asked = 0
  private var last: Coordinate?
  private var pace = IchnaeaPace(interval: Self.interval)
  private var counts: [GeosubmitRejection: Int] = [:]

  init(_ service: IchnaeaService) { self.service = service }

  var rejections: [SourceRejection] { SourceRejection.list(counts) }

  var nextDeadline: Instant? { nil }

  mutating func handle(_ input: SourceInput, at now: Moment) -> [SourceOutput] {
    switch input {
    case .scan(let scan, let fix):
      guard let fix else { return [] }
      note(scan, near: fix, at: now)
      return submit(at: now)
    case .channel(.answer(let answer)):
      guard asked > 0 else { return [] }
      defer { asked = 0 }
      return [.close] + take(answer, at: now)
    case .demand, .stored, .channel, .kernel, .wake: return []
    }
  }

  // MARK: What is observed

  private mutating func note(_ scan: RadioScan, near fix: Fix, at now: Moment) {
    let age = scan.time.seconds(since: fix.time)
    guard abs(age) <= Self.longestAge else { return reject(.noPosition) }
    if rests.note(fix.coordinate, at: now.uptime) {
      let kept = waiting.enumerated().filter { $0 < asked || !rests.contain($1.place) }
      reject(.rest, waiting.count - kept.count)
      waiting = kept.map(\.element)
    }
    guard fix.horizontalAccuracy <= Self.largestRadius else { return reject(.noPosition) }
    guard !rests.contain(fix.coordinate) else { return reject(.rest) }
    guard last.map({ $0.distance(to: fix.coordinate) >= Self.spacing }) ?? true else { return }
    // An address that its owner has given may be a telephone's, and another one tomorrow.
    let readings = IchnaeaQuestion.usable(
      scan.readings.filter { reading in
        guard case .accessPoint(let address) = reading.transmitter else { return true }
        return !address.isLocallyAdministered
      })
    guard !readings.isEmpty else { return reject(.tooFew) }
    if waiting.count >= Self.most, waiting.count > asked {
      waiting.remove(at: asked)
      reject(.surplus)
    }
    last = fix.coordinate
    let json = Self.json(readings, fix, age: age)
    waiting.append(Observation(place: fix.coordinate, at: now.uptime, json: json))
  }

  private mutating func reject(_ reason: GeosubmitRejection, _ count: Int = 1) {
    if count > 0 { counts[reason, default: 0] += count }
  }

  private static func json(_ readings: [RadioScan.Reading], _ fix: Fix, age: Double) -> String {
    let hour = fix.time.nanoseconds / 3_600_000_000_000 * 3_600_000
    let place = fix.coordinate
    return """
      {"timestamp":\(hour),"position":{"latitude":\(rounded(place.latitude, 1e6)),\
      "longitude":\(rounded(place.longitude, 1e6)),\
      "accuracy":\(rounded(fix.horizontalAccuracy, 10)),\
      "age":\(Int(max(age, 0) * 1000)),"source":"gps"},\
      \(IchnaeaQuestion.members(readings))}
      """
  }

  private static func rounded(_ number: Double, _ scale: Double) -> Double {
    (number * scale).rounded() / scale
  }

  // MARK: What is sent

  private mutating func submit(at now: Moment) -> [SourceOutput] {
    guard asked == 0, now.uptime >= pace.next else { return [] }
    let ready = waiting.prefix(Self.mostInRequest).prefix { now.uptime - $0.at >= Self.delay }
    guard !ready.isEmpty else { return [] }
    asked = ready.count
    pace.ask(at: now.uptime)
    // In an order that is not that of the journey.
    let items = ready.map(\.json).sorted().joined(separator: ",")
    return [.open(.web(service.request(Array("{\"items\":[\(items)]}".utf8))))]
  }

  private mutating func take(_ answer: WebAnswer, at now: Moment) -> [SourceOutput] {
    if case .response(200..<300, _, _) = answer {
      pace.succeed()
      waiting.removeFirst(asked)
      return status.change(to: .working)
    }
    switch IchnaeaAnswer(answer) {
    case .busy(let reason, let pause):
      pace.wait(pause, at: now.uptime)
      return status.change(to: .unavailable(.unreachable(reason)))
    case .refused(let reason):
      pace.wait(IchnaeaPace.longestPause, at: now.uptime)
      return status.change(to: .unavailable(.noPermission(reason)))
    case .unknown, .place, .rejected:
      pace.wait(IchnaeaPace.longestPause, at: now.uptime)
      return status.change(to: .unavailable(.unreachable("nothing is accepted at this address")))
    }
  }

  /// Between two requests. Chosen.
  static let interval = Duration.seconds(600)
  /// From an observation to its request: where the computer rests until then is known by it.
  static let delay = Duration.seconds(1200)
  /// Meters from one observation to the next.
  private static let spacing = 100.0
  /// Seconds between the scan and the position.
  private static let longestAge = 2.0
  /// Meters.
  private static let largestRadius = 30.0
  private static let most = 1000
  private static let mostInRequest = 50
}

/// Where a computer rested, as far as it is known since the process began.
struct RestPlaces: Sendable {
  private var places: [Coordinate] = []
  /// Where it has been since when, within some meters.
  private var anchor: (place: Coordinate, since: Instant)?
  private var last: (place: Coordinate, at: Instant)?

  /// Notes where the computer is; returns whether there is a place that was not known.
  mutating func note(_ place: Coordinate, at now: Instant) -> Bool {
    defer { last = (place, now) }
    guard let last, let anchor else {
      anchor = (place, now)
      return add(place)
    }
    // Nobody knows what was between: both ends may be where it rested.
    if now - last.at >= Self.rest {
      self.anchor = (place, now)
      let isNew = add(last.place)
      return add(place) || isNew
    }
    guard anchor.place.distance(to: place) <= Self.spread else {
      self.anchor = (place, now)
      return false
    }
    return now - anchor.since >= Self.rest && add(anchor.place)
  }

  func contain(_ place: Coordinate) -> Bool {
    places.contains { $0.distance(to: place) < Self.surroundings }
  }

  private mutating func add(_ place: Coordinate) -> Bool {
    guard !places.contains(where: { $0.distance(to: place) <= Self.spread }) else { return false }
    if places.count >= Self.most { places.removeFirst() }
    places.append(place)
    return true
  }

  /// Chosen: shorter than a delivery, longer than a traffic light.
  static let rest = Duration.seconds(600)
  /// Meters.
  private static let spread = 150.0
  /// Meters around a place of rest of which nothing is sent.
  private static let surroundings = 500.0
  private static let most = 256
}

/// Why something that was received is not sent.
enum GeosubmitRejection: String, CaseIterable {
  case rest = "observations near where this computer rested, which are sent to nobody"
  case noPosition = "scans without a satellite position of the same moment"
  case tooFew = "scans with fewer than two access points and no cell, which are of no use"
  case surplus = "observations dropped because the service accepts none"
}
