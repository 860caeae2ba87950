package import Foundation

/// A packed table.
package enum Table {
  /// The rows by the names of their columns; `nil` when the file is not there.
  package static func rows(of file: URL) throws -> [[String: String]]? {
    guard let lines = try lines(of: file), let head = lines.first else { return nil }
    let names = head.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    return lines.dropFirst().map { line in
      let values = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      return Dictionary(zip(names, values)) { first, _ in first }
    }
  }

  /// The lines that are not empty.
  package static func lines(of file: URL) throws -> [String]? {
    guard FileManager.default.fileExists(atPath: file.path) else { return nil }
    return String(decoding: try SharedData.unpacked(file), as: UTF8.self)
      .split(separator: "\n").map(String.init)
  }
}
