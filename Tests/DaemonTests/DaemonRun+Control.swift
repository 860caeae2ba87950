import Foundation
import TestSupport

extension DaemonRun {
  /// Runs `locationctl` to its end, as the owner of this daemon.
  func control(_ words: String...) throws -> FinishedProgram {
    try FinishedProgram("locationctl", words, surroundings)
  }

  /// The files of the state, without folders.
  var stateFiles: [String] {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: state).sorted().map { "\(state)/\($0)" }
    }
  }
}
