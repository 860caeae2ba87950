import CIngress
import LocationFleet

/// What devices send by HTTP, and what they are answered.
struct WebRequests {
  /// One request; it gets exactly one reply, and may go on once before that.
  struct Request: Hashable {
    fileprivate let pointer: OpaquePointer
  }

  enum Status: UInt32 {
    case kept = 200
    case unusable = 400
    case unauthorized = 401
    case refused = 403
    case method = 405
    case tooLong = 413
    case tooMany = 429
    case unavailable = 503
  }

  let descriptor: Int32
  private let server: OpaquePointer
  /// Judges certificates as long as the server is there.
  private var security: TransportSecurity?
  private(set) var open = 0
  private(set) var answers: [Status] = []
  /// In how many milliseconds the server is to be run again, or -1.
  private(set) var longestPause: Int32 = 0

  init(
    _ address: String, port: Int, most: Int, longest: Int, _ security: TransportSecurity?
  ) throws(FleetFault) {
    let listener = cin_listen(address, UInt16(port))
    guard listener >= 0 else { throw FleetFault.port(port, at: address, -listener) }
    self.security = security
    var fault: Int32 = 0
    guard let server = Self.start(listener, most, longest, security, &fault) else {
      let reason =
        switch Int(fault) {
        case CIN_NO_LIBRARY: "`http-port` needs libmicrohttpd: apt install libmicrohttpd12"
        case CIN_WITHOUT_TLS:
          "`http-port` with `ingress-certificate` needs a libmicrohttpd with TLS"
        default: "libmicrohttpd does not start"
        }
      throw FleetFault(reason: reason, status: 1)
    }
    self.server = server
    descriptor = cin_http_descriptor(server)
  }

  private static func start(
    _ listener: Int32, _ most: Int, _ longest: Int, _ security: TransportSecurity?,
    _ fault: inout Int32
  ) -> OpaquePointer? {
    func start(_ https: UnsafePointer<cin_https>?) -> OpaquePointer? {
      cin_http_start(listener, UInt32(most), 30, longest, https, &fault)
    }
    guard let security else { return start(nil) }
    return security.certificate.withCString { certificate in
      security.key.withCString { key in
        security.authorities.withCString { authorities in
          var https = cin_https(
            certificate: certificate, key: key,
            authorities: security.authorities.isEmpty ? nil : authorities,
            judge: security.context)
          return start(&https)
        }
      }
    }
  }

  /// Has the server do what is to be done, and returns the requests that have come whole, or as far as their
  /// bodies.
  mutating func run() -> [Request] {
    longestPause = cin_http_run(server)
    var found: [Request] = []
    while let pointer = cin_http_next(server) { found.append(Request(pointer: pointer)) }
    open += found.count
    return found
  }

  /// Has the body read of a request that has come as far as that.
  mutating func goOn(_ request: Request) {
    open -= 1
    // The library reads on when it is run again.
    longestPause = 0
    cin_go_on(request.pointer)
  }

  /// `after` says when it may be sent again, and `cause` is what is answered in place of the usual text.
  mutating func reply(
    _ request: Request, _ status: Status, after: Duration = .seconds(5),
    for limit: SendingLimits.Limit? = nil, because cause: StaticString? = nil
  ) {
    // What OwnTracks reads is a list of messages; others read the status alone.
    let usual: StaticString =
      switch status {
      case .kept: "[]"
      case .unusable: "no fix in it\n"
      case .unauthorized: "user and password, please\n"
      case .refused: Ingress.Refusal.device.text
      case .method: "GET or POST\n"
      case .tooLong: "too many bytes\n"
      case .tooMany:
        limit == .device
          ? "more fixes than this device may send; send it again later\n"
          : "more fixes than this tenant may send; send it again later\n"
      case .unavailable: "not kept; send it again\n"
      }
    let seconds = UInt32(max(min(after.components.seconds + 1, 3600), 1))
    open -= 1
    answers.append(status)
    // The library sends it when it is run again.
    longestPause = 0
    (cause ?? usual).withUTF8Buffer {
      $0.withMemoryRebound(to: CChar.self) {
        cin_reply(
          request.pointer, status.rawValue, $0.baseAddress, seconds)
      }
    }
  }

  /// Answers with a text of its own.
  mutating func reply(_ request: Request, text: String) {
    open -= 1
    answers.append(.kept)
    longestPause = 0
    cin_reply_copy(request.pointer, Status.kept.rawValue, text)
  }

  mutating func takeAnswers() -> [Status] {
    defer { answers = [] }
    return answers
  }

  /// Judges certificates anew; its own stays the one with which it has begun.
  mutating func replace(_ security: TransportSecurity) {
    cin_http_judge(server, security.context)
    self.security = security
  }

  func quiesce() { cin_http_quiesce(server) }

  mutating func stop() { cin_http_stop(server) }
}

// MARK: - Reading a request

extension WebRequests.Request {
  /// Whether it has come whole; else nothing of its body was read.
  var isWhole: Bool { cin_is_whole(pointer) != 0 }

  /// What is wrong with it, before anybody looks at who sends it.
  var fault: WebRequests.Status? {
    var (length, exceeded): (Int, Int32) = (0, 0)
    _ = cin_body(pointer, &length, &exceeded)
    guard exceeded == 0 else { return .tooLong }
    guard cin_parameters(pointer) <= Int32(CIN_MOST_PARAMETERS), isText else { return .unusable }
    let method = String(cString: cin_method(pointer))
    return method == "GET" || method == "POST" ? nil : .method
  }

  /// Whether all that may be a name is UTF-8.
  private var isText: Bool {
    func isText(_ text: UnsafePointer<CChar>?) -> Bool {
      text.map { String(validatingCString: $0) != nil } ?? true
    }
    return isText(cin_header(pointer, "X-Limit-U")) && isText(cin_header(pointer, "X-Limit-D"))
      && (0..<cin_parameters(pointer)).allSatisfy {
        isText(cin_parameter_name(pointer, $0)) && isText(cin_parameter_value(pointer, $0))
      }
  }

  /// Whether it asks for figures, and brings no fixes.
  var asksForFigures: Bool {
    String(cString: cin_path(pointer)) == "/figures"
      && String(cString: cin_method(pointer)) == "GET"
  }

  enum Certified {
    case none
    case wrong
    case device(DeviceAccount)
  }

  /// Who it is by the certificate of its connection.
  var certified: Certified {
    var subject = cin_subject()
    switch cin_request_subject(pointer, &subject) {
    case 0: return .none
    case 1: return TransportSecurity.account(of: subject).map { .device($0) } ?? .wrong
    default: return .wrong
    }
  }

  /// Of `Authorization: Basic`, or the parameters `user` and `password` for programs that only have an
  /// address.
  var credentials: (user: String, password: [UInt8])? {
    var user = [CChar](repeating: 0, count: 256)
    var password = user
    if cin_credentials(pointer, &user, &password, user.count) != 0 {
      return (
        String(decoding: Self.bytes(user), as: UTF8.self), Self.bytes(password)
      )
    }
    let all = parameters
    guard let name = all.first(where: { $0.name == "user" })?.value,
      let secret = all.first(where: { $0.name == "password" })?.value
    else { return nil }
    return (name, Array(secret.utf8))
  }

  private static func bytes(_ text: [CChar]) -> [UInt8] {
    text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
  }

  var parameters: [(name: String, value: String)] {
    let count = min(cin_parameters(pointer), Int32(CIN_MOST_PARAMETERS))
    return (0..<count).map {
      (
        String(cString: cin_parameter_name(pointer, $0)),
        String(cString: cin_parameter_value(pointer, $0))
      )
    }
  }

  var body: [UInt8] {
    var (length, exceeded): (Int, Int32) = (0, 0)
    let bytes = cin_body(pointer, &length, &exceeded)
    return Array(UnsafeBufferPointer(start: bytes, count: length))
  }

  func header(_ name: String) -> String? {
    cin_header(pointer, name).map { String(cString: $0) }
  }
}
