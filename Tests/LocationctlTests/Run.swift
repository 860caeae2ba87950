import Foundation
import TestSupport

/// A finished run of a program with nothing in its environment but what is given.
typealias Run = FinishedProgram

extension FinishedProgram {
  /// The built executable, which lies beside the tests.
  static let locationctl = URL(fileURLWithPath: BuiltProgram.path("locationctl"))

  /// Runs the built `locationctl`, or another program, to its end.
  init(
    program: String = locationctl.path, _ words: [String], environment: [String: String] = [:],
    input: String = ""
  ) throws {
    let names = ["LD_LIBRARY_PATH", "LLVM_PROFILE_FILE", "ASAN_OPTIONS", "TSAN_OPTIONS"]
    let kept = ProcessInfo.processInfo.environment.filter { names.contains($0.key) }
    let bare = kept.merging(["PATH": "/usr/bin:/bin"]) { given, _ in given }
    try self.init(program, words, environment, to: bare, input: input)
  }
}
