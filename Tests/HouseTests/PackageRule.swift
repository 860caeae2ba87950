/// What a target lists in Package.swift is what its files import: no more, and no less.
enum PackageRule {
  struct Target: Equatable {
    var name: String
    /// Whether it is a program: tests that start one list it, and nobody can import it.
    var isProgram: Bool
    /// Where its files lie.
    var folder: String
    var dependencies: Set<String>
    /// The line of its name.
    var line: Int
  }

  /// The targets of a manifest written as ours is: one call each, with literals alone.
  static func targets(in manifest: String) -> [Target] {
    let call = /\.(target|executableTarget|testTarget|systemLibrary)\(\s*name:\s*"(?<name>\w+)"/
    let list = /dependencies:\s*\[(?<names>[^\]]*)\]/
    let starts = manifest.matches(of: call)
    return starts.enumerated().map { index, start in
      let end = index + 1 < starts.count ? starts[index + 1].range.lowerBound : manifest.endIndex
      let text = manifest[start.range.lowerBound..<end]
      let (kind, name) = (String(start.output.1), String(start.output.name))
      let parent = kind == "testTarget" ? "Tests" : "Sources"
      let path = text.firstMatch(of: /\bpath:\s*"(?<path>[^"]+)"/)
      let names = text.firstMatch(of: list).map {
        $0.output.names.matches(of: /"(\w+)"/).map { String($0.output.1) }
      }
      return Target(
        name: name, isProgram: kind == "executableTarget",
        folder: path.map { String($0.output.path) } ?? "\(parent)/\(name)",
        dependencies: Set(names ?? []),
        line: manifest[..<start.range.lowerBound].count { $0 == "\n" } + 1)
    }
  }

  static func violations(in manifest: ProjectFile, files: [ProjectFile]) -> [Violation] {
    let targets = targets(in: manifest.text)
    let programs = Set(targets.filter(\.isProgram).map(\.name))
    // The clang module of CoreLocationTypes has the name of the module that exports it again.
    let names = Set(targets.map(\.name)).union(["CoreLocation"])
    var imported: [String: Set<String>] = [:]
    for file in files {
      let owner = targets.filter { file.path.hasPrefix($0.folder + "/") }
        .max { $0.folder.count < $1.folder.count }
      guard let owner else { continue }
      let modules =
        file.path.hasSuffix(".c")
        ? file.text.matches(of: /#include "(?<name>\w+)\.h"/).map { String($0.output.name) }
        : ImportRule.imports(in: file).map(\.module)
      let own = modules.map { $0 == owner.name ? "\($0)Types" : $0 }
      imported[owner.name, default: []].formUnion(own.filter(names.contains))
    }
    return targets.flatMap { target in
      let imports = imported[target.name, default: []]
      let idle = target.dependencies.subtracting(imports).subtracting(programs)
      let missing = imports.subtracting(target.dependencies)
      return idle.sorted().map { "\(target.name) lists \($0) and imports it nowhere" }
        + missing.sorted().map { "\(target.name) imports \($0) and does not list it" }
    }.map { reason in
      let name = reason.prefix { $0 != " " }
      let line = targets.first { $0.name == name }?.line ?? 1
      return Violation(path: manifest.path, line: line, reason: reason)
    }
  }
}
