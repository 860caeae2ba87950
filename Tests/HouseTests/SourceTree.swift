import Foundation

/// A file of the project.
struct ProjectFile: Sendable {
  /// From the root of the project, such as `Sources/LocationModel/Machine.swift`.
  let path: String
  let text: String
  let code: String
  let codeAndStrings: String

  init(path: String, text: String) {
    let source = path.hasSuffix(".swift") ? SourceText(text) : nil
    self.path = path
    self.text = text
    code = source?.code ?? text
    codeAndStrings = source?.codeAndStrings ?? text
  }

  /// The folder under `Sources`; `nil` elsewhere.
  var target: String? {
    let parts = path.split(separator: "/")
    return parts.count > 2 && parts[0] == "Sources" ? String(parts[1]) : nil
  }

  var name: String {
    String(path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...])
  }
}

/// A rule that is broken, and where.
struct Violation: Error, Equatable, CustomStringConvertible {
  let path: String
  let line: Int
  let reason: String

  var description: String { "\(path):\(line): \(reason)" }
}

extension ProjectFile {
  /// One violation for each match of an expression in the text that a rule reads.
  func violations<Output>(
    of expression: Regex<Output>, in text: String, because reason: String
  ) -> [Violation] {
    // Otherwise `Task.sleep` is one word to the expression.
    let expression = expression.wordBoundaryKind(.simple).matchingSemantics(.unicodeScalar)
    return text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap {
      guard let match = $1.firstMatch(of: expression) else { return nil }
      let words = $1[match.range].trimmingCharacters(in: .whitespaces)
      return Violation(path: path, line: $0 + 1, reason: "`\(words)`: \(reason)")
    }
  }
}

/// Everything that lies in the project's folder and is not a product of building it.
enum SourceTree {
  static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  private static let products: Set = [".build", ".git", ".swiftpm", "__pycache__", "site"]

  /// The paths of all files, sorted.
  static let paths: [String] = {
    let keys: [URLResourceKey] = [.isDirectoryKey, .isRegularFileKey]
    let walk = FileManager.default.enumerator(at: root, includingPropertiesForKeys: keys)
    var found: [String] = []
    while let url = walk?.nextObject() as? URL {
      if products.contains(url.lastPathComponent) {
        walk?.skipDescendants()
      } else if (try? url.resourceValues(forKeys: Set(keys)))?.isRegularFile == true {
        found.append(String(url.path.dropFirst(root.path.count + 1)))
      }
    }
    return found.sorted()
  }()

  /// The house's own code. The conformance suite is Apple's interface as apps use it, on purpose with
  /// what the rules forbid, and its negative files must not even compile.
  static let swift: [ProjectFile] = files {
    $0.hasSuffix(".swift") && !$0.hasPrefix("Tests/Conformance/")
  }

  static let c: [ProjectFile] = files { $0.hasSuffix(".c") }

  /// The Swift files of one folder, such as `Sources/`.
  static func swift(in folder: String) -> [ProjectFile] {
    swift.filter { $0.path.hasPrefix(folder) }
  }

  /// The text files that a rule asks for.
  static func files(where isWanted: (String) -> Bool) -> [ProjectFile] {
    paths.filter(isWanted).compactMap { path in
      let text = try? String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
      return text.map { ProjectFile(path: path, text: $0) }
    }
  }

  static func size(of path: String) throws -> Int {
    try root.appendingPathComponent(path).resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
  }
}
