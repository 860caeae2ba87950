import Foundation
import Synchronization
import TestSupport

/// One line of an app of the matrix.
struct ReportedLine: Sendable {
  /// The app, in the words of the test.
  var key: String
  var pid: Int32
  var words: String

  init?(_ text: String) {
    let parts = text.split(separator: " ", maxSplits: 2)
    guard parts.count == 3, let pid = Int32(parts[1]) else { return nil }
    (key, self.pid, words) = (String(parts[0]), pid, String(parts[2]))
  }
}

/// Something did not come in time.
struct Missing: Error, CustomStringConvertible {
  var description: String
}

/// Lines in the order in which they came, of which any may be waited for, by one task at a time.
final class KeptLines<Line: Sendable>: Sendable {
  private struct State {
    var lines: [Line] = []
    var waiter: CheckedContinuation<Void, Never>?
    /// Whether something has not come in time: what else was to come has had its time, too.
    var hasMissed = false
  }

  private let state = Mutex(State())
  private let reader: Task<Void, Never>

  init(_ events: Events<String>, _ parse: @escaping @Sendable (String) -> Line?) {
    let (stream, lines) = AsyncStream.makeStream(of: Line.self)
    reader = Task {
      while let line = try? await events.next(seconds: 3600, parse) { lines.yield(line) }
      lines.finish()
    }
    Task { [weak self] in
      for await line in stream { self?.add(line) }
    }
  }

  deinit { reader.cancel() }

  var all: [Line] { state.withLock { $0.lines } }

  private func add(_ line: Line) {
    let waiter = state.withLock { state in
      state.lines.append(line)
      return state.waiter.take()
    }
    waiter?.resume()
  }

  /// Waits until there are more lines than so many, or for no longer when it is canceled.
  private func more(than count: Int) async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { waiter in
        let isOver = state.withLock { state in
          guard state.lines.count <= count, !Task.isCancelled else { return true }
          state.waiter = waiter
          return false
        }
        if isOver { waiter.resume() }
      }
    } onCancel: {
      state.withLock { $0.waiter.take() }?.resume()
    }
  }

  /// Waits until a line after the first so many is one of those meant, and returns its index.
  @discardableResult
  func first(
    _ what: String, after start: Int = 0, seconds: Double = 60, where isMeant: (Line) -> Bool
  ) async throws -> Int {
    var next = start
    // Other lines may come without end.
    let end = ContinuousClock.now + .seconds(state.withLock { $0.hasMissed } ? 5 : seconds)
    while true {
      let lines = all
      if let index = lines.indices.dropFirst(next).first(where: { isMeant(lines[$0]) }) {
        return index
      }
      next = max(next, lines.count)
      do {
        let (count, rest) = (lines.count, (end - .now) / .seconds(1))
        try await within(seconds: max(0, rest)) { await self.more(than: count) }
      } catch {
        state.withLock { $0.hasMissed = true }
        throw Missing(description: "there is no \(what)")
      }
    }
  }
}

/// The lines of all apps of one stage, by a pipe that they write to.
final class AppLines {
  let path: String
  private let reader: RunningProgram
  private let writer: FileHandle
  private let lines: KeptLines<ReportedLine>

  init(in folder: TemporaryFolder) throws {
    path = folder.file("lines")
    guard mkfifo(path, 0o666) == 0 else { throw POSIXError(.EIO) }
    reader = try RunningProgram("/bin/cat", [path])
    // As long as it is open, the reader has no end of file.
    let descriptor = open(path, O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { throw POSIXError(.EIO) }
    writer = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    lines = KeptLines(reader.lines) { ReportedLine($0) }
  }

  var count: Int { lines.all.count }

  /// The processes that have reported anything.
  var pids: Set<Int32> { Set(lines.all.map(\.pid)) }

  func end() { reader.end() }

  /// Waits for the words of an app, after the first so many lines, and returns the line's place.
  @discardableResult
  func wait(
    for words: String, of key: String, after start: Int = 0, by pid: Int32? = nil,
    seconds: Double = 60
  ) async throws -> Int {
    do {
      return try await lines.first("\"\(words)\" of \(key)", after: start, seconds: seconds) {
        $0.key == key && $0.words.hasPrefix(words) && (pid == nil || $0.pid == pid)
      }
    } catch let fault as Missing {
      let reported = lines.all.filter { $0.key == key }.map { "\($0.pid) \($0.words)" }
      throw Missing(description: "\(fault); it reported \(reported.suffix(12))")
    }
  }

  /// The lines of an app between two places that begin with these words.
  func lines(of key: String, from start: Int, to end: Int, _ words: String) -> [ReportedLine] {
    lines.all[start..<min(end, lines.all.count)].filter {
      $0.key == key && $0.words.hasPrefix(words)
    }
  }

  /// The process of an app that was started by hand last.
  func process(of key: String) -> Int32? {
    lines.all.last { $0.key == key && $0.words == "started by hand" }?.pid
  }

  subscript(index: Int) -> ReportedLine { lines.all[index] }
}
