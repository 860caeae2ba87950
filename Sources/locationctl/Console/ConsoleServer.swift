import CMicroHTTPD
import FoundationEssentials
import Glibc
import LocationCoding
import LocationGeocoding
import LocationHost
import LocationModel
import LocationSecrets
import Synchronization

/// The console: pages and answers over HTTP, on the loopback alone.
///
/// What is answered to whom is decided by ``ConsoleGate``; this carries it out.
final class ConsoleServer: Sendable {
  private let gate: Mutex<ConsoleGate?>
  private let page: ConsolePage
  private let settings: ConsoleSettings
  private let board = LiveBoard(of: getuid())
  private let feed: LiveFeed
  private let questions: QuestionFeed
  private let days = ConsoleDays()

  init(_ page: ConsolePage, _ settings: ConsoleSettings) {
    gate = Mutex(nil)
    (self.page, self.settings) = (page, settings)
    feed = LiveFeed(board)
    questions = QuestionFeed(board)
  }

  /// Reads a day before the page is opened.
  func read(_ name: String, _ bytes: [UInt8]) throws(Failure) { try days.read(name, bytes) }

  /// Serves until `wait` returns; it is called with the address that a person opens.
  ///
  /// - Throws: why the port cannot be had, or what is not installed.
  func run(
    port wanted: UInt16, users: Set<UInt32>, until wait: (String) -> Void
  ) throws(Failure) {
    let context = Unmanaged.passRetained(self)
    defer { context.release() }
    let calls = cmhd_calls(
      context: context.toOpaque(),
      limit: { context, request in
        context.flatMap { context in request.map { ConsoleServer.at(context).limit(of: $0) } } ?? -1
      },
      answer: { context, request in
        guard let context, let request else { return }
        ConsoleServer.at(context).answer(request)
      })
    var port = wanted
    var fault: Int32 = 0
    guard let server = cmhd_start(&port, Self.mostConnections, Self.longestSilence, calls, &fault)
    else {
      throw Self.failure(fault, port: wanted)
    }
    let opened = ConsoleGate(
      port: port, token: SecretKey.random().hexadecimal,
      cookie: SecretKey.random().hexadecimal, users: users, at: HostClock.now.uptime)
    gate.withLock { $0 = opened }
    feed.start()
    wait(opened.address)
    feed.stop()
    questions.stop()
    board.close()
    cmhd_stop(server)
  }

  private static func at(_ context: UnsafeMutableRawPointer) -> ConsoleServer {
    Unmanaged<ConsoleServer>.fromOpaque(context).takeUnretainedValue()
  }

  private static func failure(_ fault: Int32, port: UInt16) -> Failure {
    switch fault {
    case Int32(CMHD_NO_LIBRARY):
      .refused("the library for HTTP is not installed", next: "apt install libmicrohttpd12")
    case Int32(CMHD_NOT_STARTED):
      .refused("the library for HTTP does not start", next: nil)
    default:
      .refused(
        "port \(port) of the loopback cannot be had: \(String(cString: strerror(fault)))",
        next: "locationctl console, which takes any that is free")
    }
  }

  // MARK: Requests

  private func limit(of request: OpaquePointer) -> Int {
    let read = Self.request(request)
    return gate.withLock { $0?.limit(of: read) } ?? -1
  }

  private func answer(_ request: OpaquePointer) {
    var read = Self.request(request)
    var (count, exceeded) = (0, Int32(0))
    if let bytes = cmhd_body(request, &count, &exceeded) {
      read.body = Array(UnsafeBufferPointer(start: bytes, count: count))
    }
    read.isTooLong = exceeded != 0
    let now = HostClock.now.uptime
    let verdict = gate.withLock { $0?.judge(read, at: now) }
    let response =
      switch verdict {
      case .refused(let response)?, .admitted(let response)?: response
      case .passed(let route)?: self.response(to: read, at: route)
      case nil: ConsoleResponse(503, "The console is not open yet.")
      }
    Self.reply(response, tiles: settings.tileOrigin, to: request)
  }

  private static func request(_ request: OpaquePointer) -> ConsoleRequest {
    func text(_ value: UnsafePointer<CChar>?) -> String? { value.map { String(cString: $0) } }
    var read = ConsoleRequest()
    read.method = text(cmhd_method(request)) ?? ""
    read.path = text(cmhd_path(request)) ?? ""
    read.host = text(cmhd_header(request, "Host"))
    read.origin = text(cmhd_header(request, "Origin"))
    read.isOriginAmbiguous = cmhd_header_count(request, "Origin") > 1
    read.site = text(cmhd_header(request, "Sec-Fetch-Site"))
    read.cookie = text(cmhd_header(request, "Cookie"))
    read.token = text(cmhd_query(request, "token"))
    read.after = text(cmhd_query(request, "after")).flatMap { Int($0) }
    read.name = text(cmhd_query(request, "name"))
    read.box = text(cmhd_query(request, "box"))
    read.user = UInt32(exactly: cmhd_peer_user(request))
    return read
  }

  private static func reply(
    _ response: ConsoleResponse, tiles: String?, to request: OpaquePointer
  ) {
    let headers =
      [ConsoleResponse.Header("Content-Type", response.type)]
      + ConsoleResponse.protection(tiles: tiles) + response.headers
    let words = headers.flatMap { [strdup($0.name), strdup($0.value)] }
    defer { for word in words { free(word) } }
    var pointers = words.map { UnsafePointer($0) }
    pointers.append(nil)
    response.body.withUnsafeBytes {
      cmhd_reply(request, UInt32(response.status), pointers, $0.baseAddress, $0.count)
    }
  }

  /// Chosen: a browser opens six connections to a server, and a person has two pages open.
  private static let mostConnections: UInt32 = 24
  /// Seconds; longer than a page waits for news.
  private static let longestSilence: UInt32 = 30

  // MARK: Answers

  private func response(to request: ConsoleRequest, at route: ConsoleRoute) -> ConsoleResponse {
    do throws(Failure) {
      switch route {
      case .page(let name): return page.file(name)
      case .library(let name): return page.libraryFile(name)
      case .settings: return Self.response(settings.json)
      case .land: return Self.land(request.box)
      case .live: return Self.response(board.news(after: request.after, for: request.user))
      case .questions:
        questions.turn(on: try ConsoleQuestions.isOn(request.body))
        return Self.response(.object([]))
      case .answer:
        try questions.answer(request.body, of: request.user)
        return Self.response(.object([]))
      case .change(let change):
        try change.perform(request.body)
        return Self.response(.object([]))
      case .launch:
        try ConsoleLaunch(request.body).perform()
        return Self.response(.object([]))
      case .read:
        try days.read(request.name ?? "day", request.body)
        return try days.summary()
      case .fences:
        return try days.rerun { (day) throws(Failure) in try day.setFences(request.body) }
      case .beacons:
        return try days.rerun { (day) throws(Failure) in try day.setBeacons(request.body) }
      case .changes:
        return try days.rerun { (day) throws(Failure) in try day.setChanges(request.body) }
      case .day: return try days.summary()
      case .track: return try days.track()
      case .scenario: return try days.scenario()
      case .test: return try days.test()
      }
    } catch {
      var response = Self.response(error.json)
      response.status = 409
      return response
    }
  }

  /// The borders, places, and streets in a part of the map.
  private static func land(_ box: String?) -> ConsoleResponse {
    guard let box = box.flatMap({ Outlines.Box($0) }) else {
      return ConsoleResponse(400, "This is no part of the map.")
    }
    let land = Outlines.read(box)
    let places = land.places.map { place -> JSON in
      .fields([
        "name": place.name.json, "latitude": place.coordinate.latitude.json,
        "longitude": place.coordinate.longitude.json,
      ])
    }
    let streets = land.streets.map { street -> JSON in
      .fields(["name": street.name?.json, "line": street.line.json])
    }
    return response(
      .fields([
        "borders": .array(land.borders.map(\.json)), "places": .array(places),
        "streets": .array(streets), "attributions": land.attributions.json,
      ]))
  }

  private static func response(_ json: JSON) -> ConsoleResponse {
    ConsoleResponse(type: "application/json", json.bytes)
  }
}

/// What a person has chosen for the page.
struct ConsoleSettings: Hashable, Sendable {
  /// The address of map tiles, with {z}, {x}, and {y}; `nil` for a map without a network.
  var tiles: String?
  var attribution: String?

  /// - Throws: that the address is none.
  init(tiles: String?, attribution: String?, as invocation: Invocation) throws(Failure) {
    (self.tiles, self.attribution) = (tiles, attribution)
    guard tiles == nil || tileOrigin != nil else {
      throw invocation.usage("--tiles is no address such as https://HOST/{z}/{x}/{y}.png")
    }
    guard tiles == nil || attribution != nil else {
      throw invocation.usage("--tiles needs --attribution: whose the map is")
    }
  }

  /// The one origin whose images may be shown.
  var tileOrigin: String? {
    guard let tiles, let url = URL(string: tiles.filter { $0 != "{" && $0 != "}" }),
      let host = url.host(), let scheme = url.scheme, scheme == "https" || scheme == "http",
      host.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "." || $0 == "-" })
    else { return nil }
    return "\(scheme)://\(host)" + (url.port.map { ":\($0)" } ?? "")
  }

  var json: JSON {
    .fields([
      "tiles": tiles?.json, "attribution": attribution?.json, "version": Verb.versionNumber.json,
    ])
  }
}
