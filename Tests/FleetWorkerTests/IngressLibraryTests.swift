import CIngress
import Foundation
import TestSupport
import Testing

/// What the libraries of TLS and HTTP do by themselves, asked without an ingress around them.
@Suite(
  "The libraries of a fleet's ingress",
  .enabled(if: TestAuthority.isPossible, "openssl is not installed"))
struct IngressLibraryTests {
  /// A server of HTTP in this thread, and a client of it.
  private struct Server {
    let http: OpaquePointer
    let client: Int32
    let descriptor: Int32

    init(_ https: UnsafePointer<cin_https>? = nil) throws {
      let port = try Loopback.freePort()
      var fault: Int32 = 0
      let listener = cin_listen("127.0.0.1", UInt16(port))
      http = try #require(cin_http_start(listener, 8, 1, 1000, https, &fault))
      descriptor = cin_http_descriptor(http)
      client = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
      #expect(Loopback.connect(client, port: port))
    }

    func end() {
      close(client)
      cin_http_stop(http)
    }

    func send(_ text: String) -> Bool {
      let bytes = Array(text.utf8)
      return Glibc.send(client, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }

    func isReadable(_ descriptor: Int32, within milliseconds: Int32) -> Bool {
      var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      return poll(&entry, 1, milliseconds) > 0
    }
  }

  private let folder: TemporaryFolder
  private let certificate, key: String

  init() throws {
    folder = try TemporaryFolder()
    let authority = try TestAuthority("owners", in: folder)
    try authority.sign("server", "/CN=ingress", usage: "serverAuth")
    (certificate, key) = (folder.file("server.pem"), folder.file("server-key.pem"))
  }

  private func context() throws -> UnsafeMutableRawPointer {
    var fault: UnsafePointer<CChar>?
    return try #require(cin_tls_context_new(certificate, key, nil, 0, &fault))
  }

  @Test("FLEET-76: an unfinished handshake by HTTP does not have the loop run on and on")
  func unfinished() throws {
    let context = try context()
    defer { cin_tls_context_free(context) }
    let texts = try [certificate, key].map {
      strdup(try String(contentsOfFile: $0, encoding: .utf8))
    }
    defer { for text in texts { free(text) } }
    var https = cin_https(
      certificate: texts[0], key: texts[1], authorities: nil, judge: context)
    let server = try Server(&https)
    defer { server.end() }
    #expect(server.send("\u{16}"))
    var pauses: [Int32] = []
    // It is taken in the first run, and what it has sent is read in the second one at the latest.
    for _ in 0..<5 {
      _ = server.isReadable(server.descriptor, within: 10)
      pauses.append(cin_http_run(server.http))
    }
    #expect(pauses.suffix(3).allSatisfy { (1...10).contains($0) }, "\(pauses)")
  }

  @Test("FLEET-72: a request that comes byte by byte keeps its place no longer than it may")
  func dripped() throws {
    let server = try Server()
    defer { server.end() }
    #expect(server.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000000\r\n\r\n"))
    let begin = ContinuousClock.now
    var count = 0
    while ContinuousClock.now - begin < .seconds(20), server.send("a") {
      count += 1
      _ = cin_http_run(server.http)
      // Whoever sends it may.
      if let request = cin_http_next(server.http) { cin_go_on(request) }
      _ = server.isReadable(server.descriptor, within: 0)
    }
    #expect(ContinuousClock.now - begin < .seconds(20) && count > 100, "\(count)")
  }

  @Test(
    "FLEET-72: one call reads one record, also where a client sends many without anything in them")
  func flood() throws {
    let context = try context()
    defer { cin_tls_context_free(context) }
    var ends: [Int32] = [0, 0]
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    #expect(socketpair(AF_UNIX, kind, 0, &ends) == 0)
    defer { for end in ends { close(end) } }
    let server = try #require(cin_tls_new(context, ends[0]))
    defer { cin_tls_free(server, 0) }
    let client = try Client(ends[1])
    defer { client.end() }
    var result: Int32 = -2
    for _ in 0..<10 where result != 0 {
      client.shakeHands()
      result = cin_tls_accept(server)
    }
    #expect(result == 0)
    for _ in 0..<50 { client.renewKeys() }
    client.write("a")
    var (calls, byte): (Int, UInt8) = (1, 0)
    while cin_tls_receive(server, &byte, 1) == Int32(CIN_WANTS_READABLE), calls < 100 { calls += 1 }
    #expect(calls == 51 && byte == UInt8(ascii: "a"))
  }
}

/// A client of TLS by OpenSSL that can send records without anything for a reader.
private struct Client {
  private typealias Pointer = UnsafeMutableRawPointer
  private let library, context, session: Pointer

  init(_ descriptor: Int32) throws {
    library = try #require(dlopen("libssl.so.3", RTLD_NOW))
    let library = library
    func find<Function>(_ name: String, _ kind: Function.Type) throws -> Function {
      unsafeBitCast(try #require(dlsym(library, name)), to: kind)
    }
    typealias Get = @convention(c) () -> Pointer?
    typealias Make = @convention(c) (Pointer?) -> Pointer?
    typealias Set = @convention(c) (Pointer, Int32) -> Int32
    typealias Act = @convention(c) (Pointer) -> Void
    let method = try find("TLS_client_method", Get.self)
    let (makeContext, make) = (try find("SSL_CTX_new", Make.self), try find("SSL_new", Make.self))
    context = try #require(makeContext(method()))
    session = try #require(make(context))
    #expect(try find("SSL_set_fd", Set.self)(session, descriptor) == 1)
    try find("SSL_set_connect_state", Act.self)(session)
  }

  private func find<Function>(_ name: String, _ kind: Function.Type) -> Function {
    unsafeBitCast(dlsym(library, name), to: kind)
  }

  func shakeHands() {
    _ = find("SSL_do_handshake", (@convention(c) (Pointer) -> Int32).self)(session)
  }

  func renewKeys() {
    let renew = find("SSL_key_update", (@convention(c) (Pointer, Int32) -> Int32).self)
    #expect(renew(session, 0) == 1)
    shakeHands()
  }

  func write(_ text: String) {
    let bytes = Array(text.utf8)
    let write = find(
      "SSL_write", (@convention(c) (Pointer, UnsafePointer<UInt8>, Int32) -> Int32).self)
    #expect(write(session, bytes, Int32(bytes.count)) == Int32(bytes.count))
  }

  func end() {
    find("SSL_free", (@convention(c) (Pointer) -> Void).self)(session)
    find("SSL_CTX_free", (@convention(c) (Pointer) -> Void).self)(context)
  }
}
