import LocationModel

/// A place that a location service has found.
struct IchnaeaPlace: Hashable, Sendable {
  var coordinate: Coordinate
  /// Meters, of the radius that holds 68 %.
  var accuracy: Double
  /// Whether it rests on less than was asked: the network address, or the area of the cells.
  var isFallback: Bool
}

/// What an answer of a location service amounts to.
enum IchnaeaAnswer: Hashable, Sendable {
  case place(IchnaeaPlace)
  /// The service knows none of the transmitters.
  case unknown
  /// The answer is no answer.
  case rejected(IchnaeaRejection)
  /// The service, or this computer, does not permit the request; with the reason.
  case refused(String)
  /// The service cannot answer now; with the reason, and the pause that it asks for.
  case busy(String, pause: Duration?)

  init(_ answer: WebAnswer) {
    switch answer {
    case .unreachable(let reason): self = .busy(reason, pause: nil)
    case .refused(let reason): self = .refused(reason)
    case .response(200, let body, _): self = Self.read(body)
    case .response(404, _, _): self = .unknown
    case .response(400, _, _):
      self = .refused("the service does not accept the request, or its key (status 400)")
    case .response(401, _, _): self = .refused("the service wants a valid key (status 401)")
    case .response(403, _, let pause) where pause != nil:
      self = .busy("the service has answered enough for now (status 403)", pause: pause)
    case .response(403, _, _):
      self = .refused("the service refuses, or its limit for a day is reached (status 403)")
    case .response(let status, _, let pause):
      self = .busy("the service answers with status \(status)", pause: pause)
    }
  }

  private static func read(_ body: [UInt8]) -> IchnaeaAnswer {
    guard body.count <= longest else { return .rejected(.garbled) }
    var latitude: Double?
    var longitude: Double?
    var accuracy: Double?
    var isFallback = false
    var scanner = JSONScanner(body)
    do throws(JSONFault) {
      try scanner.document { (key, scanner) throws(JSONFault) in
        switch key {
        case "location" where try scanner.isObject():
          try scanner.object { (key, scanner) throws(JSONFault) in
            switch key {
            case "lat": latitude = try scanner.number()
            case "lng": longitude = try scanner.number()
            default: try scanner.skip()
            }
          }
        case "accuracy": accuracy = try scanner.number()
        case "fallback": isFallback = try scanner.string() != nil
        default: try scanner.skip()
        }
      }
    } catch {
      return .rejected(.garbled)
    }
    guard let latitude, let longitude else { return .rejected(.noPlace) }
    let coordinate = Coordinate(latitude: latitude, longitude: longitude)
    // No transmitter stands in the sea at zero; it is what a service sends that has lost its data.
    guard coordinate.isValid, (latitude, longitude) != (0, 0) else { return .rejected(.noPlace) }
    guard let accuracy, accuracy > 0, accuracy <= Geodesic.halfOfEquator else {
      return .rejected(.noAccuracy)
    }
    let radius = max(accuracy / radiusRatio, smallestRadius)
    return .place(
      IchnaeaPlace(coordinate: coordinate, accuracy: radius, isFallback: isFallback))
  }

  /// Services state a radius of 95 %; one of 68 % is smaller by this.
  private static let radiusRatio = 1.6
  /// Meters. A service knows where others were when they received a transmitter, not where it is.
  private static let smallestRadius = 15.0
  /// Bytes. An answer has about 100.
  private static let longest = 65_536
}

/// The answers of the last day, so that nothing is asked twice.
struct IchnaeaMemory: Hashable, Sendable {
  enum Entry: Hashable, Sendable {
    case place(IchnaeaPlace)
    case unknown
  }

  private struct Known: Hashable {
    var key: [Transmitter]
    var entry: Entry
    var until: Instant
  }

  /// In the order in which they came.
  private var known: [Known] = []

  func answer(to question: IchnaeaQuestion, at now: Moment) -> Entry? {
    let key = question.key
    return known.first { $0.key == key && $0.until > now.uptime }?.entry
  }

  mutating func note(_ entry: Entry, to question: IchnaeaQuestion, at now: Moment) {
    let key = question.key
    known.removeAll { $0.key == key || $0.until <= now.uptime }
    if known.count >= Self.most { known.removeFirst() }
    known.append(Known(key: key, entry: entry, until: now.uptime + IchnaeaPace.day))
  }

  /// Chosen.
  static let most = 256
}
