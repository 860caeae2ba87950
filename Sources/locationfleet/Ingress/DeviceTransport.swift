import CIngress
import Glibc
import LocationFleet

/// The certificate of an ingress, and whose certificates it believes.
///
/// Connections go on with the one with which they have begun.
final class TransportSecurity {
  let context: UnsafeMutableRawPointer
  /// The texts of the files, for HTTP.
  let certificate, authorities: String
  let key: String

  /// Reads the files; `nil` where there is to be no TLS.
  init?(_ security: IngressSecurity) throws(FleetFault) {
    guard let certificate = security.certificate, let key = security.key else { return nil }
    var faults: [String] = []
    var texts: [String] = []
    for (name, path, isSecret, mark) in [
      ("ingress-certificate", certificate, false, "-----BEGIN CERTIFICATE-----"),
      ("ingress-certificate-key", key, true, "PRIVATE KEY-----"),
      ("device-authorities", security.authorities, false, "-----BEGIN CERTIFICATE-----"),
    ] {
      guard let path else { continue }
      if let fault = AccessFiles.fault(of: path, isSecret: isSecret, with: mark) {
        faults.append("`\(name)` \(path): \(fault)")
      }
      let bytes = try? Input.file(path, limit: 1 << 20)
      texts.append(String(decoding: bytes ?? [], as: UTF8.self))
    }
    guard faults.isEmpty else { throw FleetFault(reason: faults.joined(separator: "\n")) }
    (self.certificate, self.key) = (texts[0], texts[1])
    authorities = texts.count > 2 ? texts[2] : ""
    var fault: UnsafePointer<CChar>?
    guard
      let context = cin_tls_context_new(
        certificate, key, security.authorities,
        authorities.contains("-----BEGIN X509 CRL-----") ? 1 : 0, &fault)
    else {
      let paths = [certificate, key, security.authorities].compactMap { $0 }
      let text = fault.map { String(cString: $0) } ?? ""
      throw FleetFault(reason: "\(paths.joined(separator: ", ")): \(text)")
    }
    self.context = context
  }

  deinit { cin_tls_context_free(context) }

  /// The account that a subject stands for; `nil` where it names no device.
  static func account(of subject: cin_subject) -> DeviceAccount? {
    var subject = subject
    func text<Part>(_ part: inout Part) -> String {
      withUnsafeBytes(of: &part) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
    return DeviceCertificate(
      organization: text(&subject.organization), unit: text(&subject.unit),
      name: text(&subject.name)
    ).account
  }
}

/// The way of the bytes of one connection: as they are, or by TLS.
struct DeviceTransport {
  enum Handshake {
    case done(DeviceAccount?)
    /// Until the descriptor is readable, or writable.
    case waits(UInt32)
    case failed
  }

  let descriptor: Int32
  private let session: UnsafeMutableRawPointer?
  /// Nothing but the handshake may be done before.
  private(set) var isReady: Bool
  /// A record waits to be sent before anything can be read.
  private(set) var wantsWriting = false

  /// `nil` without memory.
  init?(_ descriptor: Int32, _ security: TransportSecurity?) {
    self.descriptor = descriptor
    session = security.flatMap { cin_tls_new($0.context, descriptor) }
    isReady = security == nil
    if security != nil, session == nil { return nil }
  }

  mutating func shakeHands() -> Handshake {
    guard let session, !isReady else { return .done(nil) }
    switch Int(cin_tls_accept(session)) {
    case 0: break
    case CIN_WANTS_READABLE: return .waits(UInt32(CIN_READABLE))
    case CIN_WANTS_WRITABLE: return .waits(UInt32(CIN_WRITABLE))
    default: return .failed
    }
    isReady = true
    var subject = cin_subject()
    switch cin_tls_subject(session, &subject) {
    case 0: return .done(nil)
    case 1: return TransportSecurity.account(of: subject).map { .done($0) } ?? .failed
    default: return .failed
    }
  }

  /// How many bytes there are: 0 for none now, `nil` when the connection is over.
  mutating func receive(_ room: inout [UInt8]) -> Int? {
    guard let session else {
      let count = recv(descriptor, &room, room.count, 0)
      guard count <= 0 else { return count }
      return count < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : nil
    }
    let count = Int(cin_tls_receive(session, &room, Int32(room.count)))
    wantsWriting = count == CIN_WANTS_WRITABLE
    return count == CIN_TLS_OVER ? nil : max(count, 0)
  }

  /// How many bytes were sent; `nil` when the connection is over.
  func send(_ bytes: [UInt8]) -> Int? {
    guard let session else {
      let count = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
      return count >= 0 || errno == EAGAIN ? max(count, 0) : nil
    }
    let count = Int(cin_tls_send(session, bytes, Int32(bytes.count)))
    return count == CIN_TLS_OVER ? nil : max(count, 0)
  }

  func close() {
    if let session { cin_tls_free(session, isReady ? 1 : 0) }
    Glibc.close(descriptor)
  }
}
