package import LocationModel

/// Asks a location service that the owner has named where the transmitters are that the other sources
/// receive and that the map of this computer does not know.
///
/// It sends addresses and levels, never the name of a network, and no more than one request in
/// 30 seconds; an answer is remembered for a day. Without a scan, or a client that needs a position,
/// nothing is sent.
struct IchnaeaDriver: SourceDriver {
  private enum State: Hashable, Sendable {
    case idle
    /// A client needs positions; the next request may be sent from `nextRequest` on.
    case ready
    /// A request is under way.
    case asking(IchnaeaQuestion)
  }

  private let service: IchnaeaService
  private var state = State.idle
  private var interval = Duration.zero
  private var status = ProviderStatus.idle
  /// The last scan of access points, and the last one of cells.
  private var accessPoints: RadioScan?
  private var cells: RadioScan?
  /// Whether a scan came since the last request.
  private var isStale = false
  private var pace = IchnaeaPace(interval: Self.interval)
  private var memory = IchnaeaMemory()
  private var counts: [IchnaeaRejection: Int] = [:]

  init(_ service: IchnaeaService) {
    self.service = service
  }

  var rejections: [SourceRejection] { SourceRejection.list(counts) }

  var nextDeadline: Instant? { state == .ready && isStale ? pace.next : nil }

  mutating func handle(_ input: SourceInput, at now: Moment) -> [SourceOutput] {
    switch input {
    case .demand(let demand): return settle(demand.position)
    case .scan(let scan, _):
      guard state != .idle else { return [] }
      note(scan)
      return ask(at: now)
    case .channel(.answer(let answer)):
      guard case .asking(let question) = state else { return [] }
      state = .ready
      return [.close] + take(answer, to: question, at: now)
    case .wake: return isDue(nextDeadline, now) ? ask(at: now) : []
    case .stored, .channel, .kernel: return []
    }
  }

  private mutating func settle(_ demand: PositionDemand?) -> [SourceOutput] {
    interval = demand?.interval ?? .zero
    switch (demand, state) {
    case (nil, .idle): return []
    case (nil, .ready), (nil, .asking):
      let wasAsking = state != .ready
      (state, accessPoints, cells, isStale) = (.idle, nil, nil, false)
      return (wasAsking ? [.close] : []) + status.change(to: .idle)
    case (_, .idle):
      state = .ready
      return status.change(to: .searching)
    case (_, .ready), (_, .asking): return []
    }
  }

  private mutating func note(_ scan: RadioScan) {
    let isOfCells = scan.readings.contains {
      if case .cell = $0.transmitter { true } else { false }
    }
    if isOfCells { cells = scan } else { accessPoints = scan }
    isStale = true
  }

  /// Answers from memory, or sends a request when it is time.
  private mutating func ask(at now: Moment) -> [SourceOutput] {
    guard state == .ready, isStale else { return [] }
    let scans = [accessPoints, cells].compactMap(\.self)
    guard let question = IchnaeaQuestion(scans, at: now.unixTime) else {
      isStale = false
      counts[.tooFew, default: 0] += 1
      return []
    }
    if let known = memory.answer(to: question, at: now) {
      isStale = false
      return deliver(known, to: question)
    }
    guard now.uptime >= pace.next else { return [] }
    isStale = false
    state = .asking(question)
    pace.ask(at: now.uptime, interval)
    return [.open(.web(service.request(question.body)))]
  }

  // MARK: Answers

  private mutating func take(
    _ answer: WebAnswer, to question: IchnaeaQuestion, at now: Moment
  ) -> [SourceOutput] {
    switch IchnaeaAnswer(answer) {
    case .place(let place):
      pace.succeed()
      memory.note(.place(place), to: question, at: now)
      return deliver(.place(place), to: question)
    case .unknown:
      pace.succeed()
      memory.note(.unknown, to: question, at: now)
      return deliver(.unknown, to: question)
    case .rejected(let reason):
      counts[reason, default: 0] += 1
      return wait(nil, .unreachable(reason.rawValue), at: now)
    case .refused(let reason):
      return wait(IchnaeaPace.longestPause, .noPermission(reason), at: now)
    case .busy(let reason, let pause): return wait(pause, .unreachable(reason), at: now)
    }
  }

  /// Sends nothing for as long as the service asks, or for longer with each failure.
  private mutating func wait(
    _ pause: Duration?, _ reason: ProviderStatus.Reason, at now: Moment
  ) -> [SourceOutput] {
    pace.wait(pause, at: now.uptime)
    return status.change(to: .unavailable(reason))
  }

  private mutating func deliver(
    _ answer: IchnaeaMemory.Entry, to question: IchnaeaQuestion
  ) -> [SourceOutput] {
    guard case .place(let place) = answer else {
      counts[.unknown, default: 0] += 1
      return status.change(to: .searching)
    }
    let fix = Fix(
      coordinate: place.coordinate, horizontalAccuracy: place.accuracy, time: question.time,
      origin: Fix.Origin(method: place.isFallback ? .region : .service))
    // A region is not what the source is asked for.
    return status.change(to: place.isFallback ? .searching : .working) + [.fix(fix)]
  }

  /// Between two requests.
  static let interval = Duration.seconds(30)
}

/// When a service may be asked again.
struct IchnaeaPace: Hashable, Sendable {
  /// Between two requests, if both are answered.
  let interval: Duration
  private(set) var next = Instant.start
  private var failures = 0

  init(interval: Duration) { self.interval = interval }

  /// Notes a request; its sender may want a longer pause until the next one.
  mutating func ask(at now: Instant, _ longer: Duration = .zero) {
    next = now + max(interval, longer)
  }

  mutating func succeed() { failures = 0 }

  /// Nothing is sent for as long as the service asks, or for longer with each failure.
  mutating func wait(_ pause: Duration?, at now: Instant) {
    let growing = min(interval * (1 << min(failures, 7)), Self.longestPause)
    failures += 1
    next = max(next, now + min(max(pause ?? growing, growing), Self.day))
  }

  /// After many failures, or a refusal, unless the service asks for more. Chosen.
  static let longestPause = Duration.seconds(3600)
  /// The longest pause that a service may ask for.
  static let day = Duration.seconds(86_400)
}

/// A location service that the owner has named.
package struct IchnaeaService: Hashable, Sendable {
  /// The server and the path of its geolocate: `https://api.beacondb.net/v1/geolocate`.
  package var server: WebServer
  /// The key that the service gave the owner; `nil` for a service without keys.
  package var key: String?
  /// How the operator of the service reaches the owner; `nil` where the owner does not say.
  package var contact: String?

  package init(_ server: WebServer, key: String? = nil, contact: String? = nil) {
    self.server = server
    self.key = key
    self.contact = contact
  }

  func request(_ body: [UInt8]) -> WebRequest {
    WebRequest(
      server.url + (key.map { "?key=\($0)" } ?? ""), of: server, body: body,
      userAgent: "Meridian/\(Release.version)" + (contact.map { " (+\($0))" } ?? ""),
      timeout: Self.timeout)
  }

  private static let timeout = Duration.seconds(5)
}

/// Why an answer, or a scan, is not used.
enum IchnaeaRejection: String, CaseIterable {
  case tooFew = "scans with fewer than two access points and no cell, which a service cannot place"
  case unknown = "places that the service does not know"
  case garbled = "answers of the service that cannot be read"
  case noPlace = "answers of the service without a possible place"
  case noAccuracy = "answers of the service without a possible accuracy"
}
