import LocationModel

/// The iterations over sessions' diagnostics: the first element at once, then one per change.
///
/// Each iteration has its own full stream (SESS-24).
struct DiagnosticStreams: Hashable, Sendable {
  private struct Stream: Hashable, Sendable {
    var id: Int
    var session: Int
    /// The last element of the stream; `nil` before the first.
    var last: Diagnostics?
  }

  private var streams: [Stream] = []

  /// Begins a stream, once; returns `false` when the app has too many.
  mutating func begin(_ id: Int, session: Int) -> Bool {
    guard !streams.contains(where: { $0.id == id }) else { return true }
    guard streams.count < Bounds.streams else { return false }
    streams.append(Stream(id: id, session: session))
    return true
  }

  mutating func end(_ isOver: (Int) -> Bool) {
    streams.removeAll { isOver($0.id) }
  }

  mutating func removeAll() {
    streams = []
  }

  /// Ends the streams of a session that has ended, and returns their names (SESS-16).
  mutating func finish(session: Int) -> [Int] {
    let finished = streams.filter { $0.session == session }.map(\.id)
    streams.removeAll { $0.session == session }
    return finished
  }

  /// Returns the new element of each stream, for the present diagnostics of the sessions.
  mutating func publish(
    _ current: [(session: Int, diagnostics: Diagnostics)]
  ) -> [(stream: Int, diagnostics: Diagnostics)] {
    var changed: [(stream: Int, diagnostics: Diagnostics)] = []
    for index in streams.indices {
      let session = streams[index].session
      guard let flags = current.first(where: { $0.session == session })?.diagnostics else {
        continue
      }
      guard flags != streams[index].last else { continue }
      streams[index].last = flags
      changed.append((streams[index].id, flags))
    }
    return changed
  }
}
