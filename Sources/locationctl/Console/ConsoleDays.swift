import LocationCoding
import LocationModel
import LocationSimulation
import Synchronization

/// The day that the page shows, one at a time.
final class ConsoleDays: Sendable {
  private let day = Mutex<ConsoleDay?>(nil)

  /// Reads a file, and runs its day.
  ///
  /// - Throws: what is wrong with it.
  func read(_ name: String, _ bytes: [UInt8]) throws(Failure) {
    let read = try ConsoleDay(name, bytes)
    day.withLock { $0 = read }
  }

  /// Runs the same day changed.
  ///
  /// - Throws: what is wrong with the change; then the day stays as it was.
  func rerun(
    _ change: (inout ConsoleDay) throws(Failure) -> Void
  ) throws(Failure) -> ConsoleResponse {
    var changed = try current()
    try change(&changed)
    let copy = changed
    day.withLock { $0 = copy }
    return try summary()
  }

  private func current() throws(Failure) -> ConsoleDay {
    guard let day = day.withLock({ $0 }) else {
      throw .refused(
        "no day is open",
        next: "drop a GPX file, a receiver's log, a recording, or a scenario here")
    }
    return day
  }

  func summary() throws(Failure) -> ConsoleResponse {
    ConsoleResponse(type: "application/json", try current().json.bytes)
  }

  func track() throws(Failure) -> ConsoleResponse {
    ConsoleResponse(type: "application/octet-stream", try current().trackBytes)
  }

  func scenario() throws(Failure) -> ConsoleResponse {
    let day = try current()
    return ConsoleResponse(
      type: "text/plain; charset=utf-8", Array(try ConsoleExport(day).scenario.utf8))
  }

  func test() throws(Failure) -> ConsoleResponse {
    let day = try current()
    return ConsoleResponse(type: "text/plain; charset=utf-8", Array(ConsoleExport(day).test().utf8))
  }
}
