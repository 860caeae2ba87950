import Foundation
import LocationModel
import TestSupport
import Testing

@Suite(
  "A receiver that speaks NMEA over TLS", .serialized,
  .enabled(if: access("/usr/bin/openssl", X_OK) == 0, "no openssl (Debian's package)"))
struct TLSTests {
  /// Makes an authority and certificates: a right one, one for another name, one that has expired, and one
  /// that signed itself.
  private static let certificates = """
    set -e
    cd "$1"
    key() { openssl ecparam -name prime256v1 -genkey -noout -out "$1.key" 2> /dev/null; }
    key ca
    openssl req -x509 -new -key ca.key -subj /CN=Authority -days 2 \\
      -addext basicConstraints=critical,CA:TRUE -out ca.pem
    make() {
      key "$1"
      printf 'subjectAltName=%s\\n' "$3" > "$1.ext"
      openssl req -new -key "$1.key" -subj "/CN=$1" | openssl x509 -req -CA ca.pem -CAkey ca.key \\
        -CAcreateserial -days "$2" -extfile "$1.ext" -out "$1.pem" 2> /dev/null
    }
    make right 2 DNS:localhost,IP:127.0.0.1
    make elsewhere 2 DNS:boat.example
    make expired -1 DNS:localhost
    key selfsigned
    openssl req -x509 -new -key selfsigned.key -subj /CN=localhost -days 2 \\
      -addext subjectAltName=DNS:localhost -out selfsigned.pem
    echo made
    """

  /// Sends a sentence ten times a second to everyone who comes; hangs up on the first one after ten.
  private static let server = """
    import socket, ssl, sys, threading, time
    place, name = sys.argv[1], sys.argv[2]
    listener = socket.create_server(("127.0.0.1", 0))
    print("port", listener.getsockname()[1], flush=True)
    context = None
    if name == "old":
      context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
      context.set_ciphers("DEFAULT:@SECLEVEL=0")
      context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_1
      name = "right"
    elif name != "plain":
      context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    if context: context.load_cert_chain(f"{place}/{name}.pem", f"{place}/{name}.key")
    def sentence():
      body = time.strftime("GPRMC,%H%M%S.00,A,4830.0000,N,01130.0000,E,0.0,0.0,%d%m%y,,,A", time.gmtime())
      sum = 0
      for byte in body.encode(): sum ^= byte
      return f"${body}*{sum:02X}\\r\\n".encode()
    def serve(peer, most):
      try:
        if context: peer = context.wrap_socket(peer, server_side=True)
        for _ in range(most):
          peer.sendall(sentence())
          time.sleep(0.1)
        peer.close()
      except (OSError, ssl.SSLError) as error: print("ended", error, flush=True)
    count = 0
    while True:
      peer, _ = listener.accept()
      count += 1
      print("came", count, flush=True)
      threading.Thread(target=serve, args=(peer, 10 if count == 1 else 10**6), daemon=True).start()
    """

  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func start(_ name: String) async throws -> (RunningProgram, port: String) {
    let maker = try RunningProgram("/bin/sh", ["-c", Self.certificates, "sh", folder.path])
    _ = try await maker.lines.next { $0 == "made" }
    let server = try RunningProgram("/usr/bin/python3", ["-c", Self.server, folder.path, name])
    let line = try await server.lines.next { $0.hasPrefix("port ") }
    return (server, String(line.dropFirst(5)))
  }

  private func isHere(_ fix: Fix) -> Bool {
    abs(fix.coordinate.latitude - 48.5) < 1e-7 && abs(fix.coordinate.longitude - 11.5) < 1e-7
  }

  @Test("NET-1: is received when its certificate is right, and again after it hung up")
  func right() async throws {
    let (server, port) = try await start("right")
    defer { server.end() }
    for host in ["localhost", "127.0.0.1"] {
      let client = try HostClient("nmea+tls://\(host):\(port)?ca=\(folder.path)/ca.pem")
      #expect(isHere(try await client.fix()))
      if host == "localhost" {
        // The first one is hung up on.
        _ = try await server.lines.next { $0 == "came 2" }
        #expect(isHere(try await client.fix()))
      }
    }
  }

  @Test(
    "NET-2: is not received when its certificate is not right, and the reason is reported",
    arguments: [
      ("elsewhere", "matches target host name"), ("expired", "expired"),
      ("selfsigned", "self-signed"),
      ("plain", "does not answer with TLS 1.2 or newer"), ("old", "TLS 1.2 or newer"),
    ])
  func wrong(name: String, reason: String) async throws {
    let (server, port) = try await start(name)
    defer { server.end() }
    let client = try HostClient("nmea+tls://localhost:\(port)?ca=\(folder.path)/ca.pem")
    let said = try await client.outage().map { "\($0)" }.joined(separator: "; ")
    #expect(said.contains(reason), "\(said)")
  }

  @Test(
    "NET-2: is not received from a server whose authority is none of the system's, nor with a file that is none"
  )
  func unknownAuthority() async throws {
    let (server, port) = try await start("right")
    defer { server.end() }
    for (query, reason) in [
      ("", "is not accepted"), ("?ca=\(folder.path)/none.pem", "cannot be read"),
      ("?ca=\(folder.path)/elsewhere.pem", "is not accepted"),
    ] {
      let client = try HostClient("nmea+tls://localhost:\(port)\(query)")
      let said = try await client.outage().map { "\($0)" }.joined(separator: "; ")
      #expect(said.contains(reason), "\(query): \(said)")
    }
  }

  @Test(
    "NET-3: on the network without TLS is reported by doctor as neither encrypted nor authenticated"
  )
  func doctor() async throws {
    let plain = try RunningProgram(
      BuiltProgram.path("locationctl"),
      ["doctor", "--json", "--timeout", "1", "--source", "nmea+tcp://192.0.2.1:10110"])
    defer { plain.end() }
    _ = try await plain.lines.next { $0.contains("plain_on_the_network") }
  }
}
