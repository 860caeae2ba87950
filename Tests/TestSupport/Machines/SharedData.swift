package import Foundation

/// The shared test data: `$MERIDIAN_SHARED`, else `../shared` beside the package.
package enum SharedData {
  /// The folder, or `nil` when this machine has none (a test is then skipped, never passed).
  package static let folder: URL? = {
    let named = ProcessInfo.processInfo.environment["MERIDIAN_SHARED"]
    let folder = named.map { URL(fileURLWithPath: $0) } ?? packageRoot.appending(path: "../shared")
    let data = folder.appending(path: "data").standardizedFileURL
    return FileManager.default.fileExists(atPath: data.path) ? data : nil
  }()

  /// The folder that holds `Package.swift`.
  package static let packageRoot = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// Why a test that needs the data does not run.
  package static let isMissing =
    "the shared data is missing: set MERIDIAN_SHARED to the folder that holds data/"

  /// A file's bytes, unpacked when its name ends in `.gz`; the path is the one below `data/`.
  package static func bytes(_ path: String) throws -> Data {
    let url = try url(path)
    return path.hasSuffix(".gz") ? try unpacked(url) : try Data(contentsOf: url)
  }

  /// A text file's lines, unpacked when its name ends in `.gz`.
  package static func lines(_ path: String) throws -> [Substring] {
    String(decoding: try bytes(path), as: UTF8.self).split(whereSeparator: \.isNewline)
  }

  /// The names in a folder of the data, sorted.
  package static func names(in path: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: url(path).path).sorted()
  }

  package static func url(_ path: String) throws -> URL {
    guard let folder else { throw CocoaError(.fileNoSuchFile) }
    return folder.appending(path: path)
  }

  /// The bytes of a packed file.
  package static func unpacked(_ url: URL) throws -> Data {
    let gzip = Process()
    gzip.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    gzip.arguments = ["gzip", "-dc", url.path]
    let pipe = Pipe()
    gzip.standardOutput = pipe
    try gzip.run()
    let bytes = pipe.fileHandleForReading.readDataToEndOfFile()
    gzip.waitUntilExit()
    guard gzip.terminationStatus == 0 else { throw CocoaError(.fileReadCorruptFile) }
    return bytes
  }
}
