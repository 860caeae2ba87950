import Foundation

/// A publisher who signs programs with the real minisign.
package struct Minisign {
  /// Whether minisign is installed.
  package static let isInstalled = FileManager.default.isExecutableFile(atPath: program)
  private static let program = "/usr/bin/minisign"

  private let publicKey: String
  private let secretKey: String

  /// Creates a key without a password.
  package init(in folder: TemporaryFolder, named name: String) throws {
    (publicKey, secretKey) = (folder.file("\(name).pub"), folder.file("\(name).key"))
    try Self.run("-G", "-f", "-W", "-p", publicKey, "-s", secretKey)
  }

  /// Signs a program together with its identifier, and puts signature and key beside it.
  package func sign(_ path: String, as identifier: String) throws {
    try Self.run("-S", "-s", secretKey, "-m", path, "-t", "identifier:\(identifier)")
    try? FileManager.default.removeItem(atPath: path + ".pub")
    try FileManager.default.copyItem(atPath: publicKey, toPath: path + ".pub")
  }

  private static func run(_ arguments: String...) throws {
    let run = try FinishedProgram(program, arguments)
    guard run.status == 0 else { throw CocoaError(.executableLoad) }
  }
}
