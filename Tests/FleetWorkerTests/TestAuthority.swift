import Foundation
import TestSupport
import Testing

/// An authority of a test's own, and what it signs, made by `openssl`.
struct TestAuthority {
  let folder: TemporaryFolder
  let name: String

  static var isPossible: Bool { isInstalled("openssl") }

  /// One that another one has signed.
  init(existing name: String, in folder: TemporaryFolder) {
    (self.folder, self.name) = (folder, name)
  }

  init(_ name: String, in folder: TemporaryFolder) throws {
    (self.folder, self.name) = (folder, name)
    try openssl(
      ["req", "-x509"] + Self.keyed + [
        "-keyout", "\(name)-key.pem", "-out", "\(name).pem", "-subj", "/CN=\(name)", "-days", "2",
      ])
  }

  var file: String { folder.file("\(name).pem") }

  private static let keyed = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]

  private func openssl(_ words: [String]) throws {
    let run = try FinishedProgram("/usr/bin/openssl", words, in: folder.path)
    #expect(run.status == 0, "\(words): \(run.error)")
  }

  /// Signs a certificate; the files are `FILE.pem` and `FILE-key.pem`.
  func sign(
    _ file: String, _ subject: String, usage: String = "clientAuth", isAuthority: Bool = false
  ) throws {
    try openssl(
      ["req", "-x509"] + Self.keyed + [
        "-keyout", "\(file)-key.pem", "-out", "\(file).pem", "-subj", subject, "-days", "2",
        "-addext", "subjectAltName=IP:127.0.0.1", "-addext", "extendedKeyUsage=\(usage)",
        "-addext", "basicConstraints=critical,CA:\(isAuthority ? "TRUE" : "FALSE")", "-CA",
        "\(name).pem", "-CAkey",
        "\(name)-key.pem",
      ])
    chmod(folder.file("\(file)-key.pem"), 0o600)
  }

  /// Adds the list of those that it has revoked to its own file, in place of an earlier one.
  func revoke(_ files: [String]) throws {
    let list = try list(files)
    let text = try String(contentsOfFile: file, encoding: .utf8)
    let own = text.components(separatedBy: "-----BEGIN X509 CRL-----")[0]
    try (own + list).write(toFile: file, atomically: true, encoding: .utf8)
  }

  /// The list of those that it has revoked.
  func list(_ files: [String]) throws -> String {
    try "".write(toFile: folder.file("index"), atomically: true, encoding: .utf8)
    try "01".write(toFile: folder.file("number"), atomically: true, encoding: .utf8)
    try """
    [ca]
    default_ca = own
    [own]
    database = index
    crlnumber = number
    certificate = \(name).pem
    private_key = \(name)-key.pem
    default_md = sha256
    default_crl_days = 2
    """.write(toFile: folder.file("own.conf"), atomically: true, encoding: .utf8)
    for file in files { try openssl(["ca", "-config", "own.conf", "-revoke", "\(file).pem"]) }
    try openssl(["ca", "-config", "own.conf", "-gencrl", "-out", "\(name)-list.pem"])
    return try String(contentsOfFile: folder.file("\(name)-list.pem"), encoding: .utf8)
  }
}
