import Foundation
import Glibc

/// Counts instructions with valgrind's callgrind.
struct Callgrind {
  private var folder: URL
  /// This program without debug information: valgrind 3.19 cannot read that of Swift 6.3 and gives up
  /// over it.
  let own: String

  init(in folder: URL) throws {
    self.folder = folder
    own = folder.appending(path: "own").path
    let strip = URL(fileURLWithPath: try Peers.program("strip", from: "binutils"))
    _ = try run(strip, ["-g", "-o", own, Peers.products.appending(path: "Benchmarks").path])
  }

  /// The words before a program's own that count it, and the file that then holds the count.
  func words(_ name: String) throws -> ([String], URL) {
    let file = folder.appending(path: "\(name).\(UUID()).callgrind")
    try Data().write(to: file)
    chmod(file.path, 0o666)
    chmod(folder.path, 0o777)
    let valgrind = try Peers.program("valgrind", from: "valgrind")
    return ([valgrind, "--tool=callgrind", "--callgrind-out-file=\(file.path)"], file)
  }

  /// Runs a part of this program to its end, and returns its instructions.
  func instructions(of part: [String]) throws -> Double {
    let (tool, file) = try words(part.first ?? "own")
    let preload = "LD_PRELOAD=\(try Peers.suspendingLibrary(in: folder))"
    let child = try Child("/usr/bin/env", [preload] + tool + [own] + part)
    child.readLines { _ in true }
    guard child.wait().status == 0 else { throw Self.didNotSurvive }
    return try instructions(in: file)
  }

  func instructions(in file: URL) throws -> Double {
    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
    let line = lines.last { $0.hasPrefix("totals:") || $0.hasPrefix("summary:") }
    guard let count = line?.split(separator: " ").dropFirst().first.flatMap({ Double($0) }) else {
      throw MissingPeer(text: "callgrind wrote no total into \(file.lastPathComponent)")
    }
    return count
  }

  static let didNotSurvive = MissingPeer(
    text: "a program did not survive callgrind: its instructions are unknown")
}
