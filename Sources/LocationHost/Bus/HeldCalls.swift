/// The calls on the bus that wait for an answer, by numbers that are never used again.
///
/// A call that wants no answer has a number as well, and takes no room. What one user may have waiting is
/// bounded by the part that answers, which knows whose connection is whose (GEOCLUE-13).
package struct HeldCalls<Call> {
  private var calls: [Int: (call: Call, sender: String)] = [:]
  private var last = 0

  package init() {}

  /// The calls that wait.
  package var count: Int { calls.count }

  /// Takes a call, and keeps it if it wants an answer.
  ///
  /// - Returns: its number; `nil` if it wants an answer and there is no room for it.
  package mutating func add(_ call: Call, of sender: String, wantsAnswer: Bool) -> Int? {
    guard !wantsAnswer || calls.count < Self.most else { return nil }
    last += 1
    if wantsAnswer { calls[last] = (call, sender) }
    return last
  }

  /// Removes a call, which is answered now.
  ///
  /// - Returns: the call; `nil` if it wanted no answer, has one, or its sender has gone.
  package mutating func take(_ number: Int) -> Call? { calls.removeValue(forKey: number)?.call }

  /// Removes the calls of a connection that has gone.
  ///
  /// - Returns: the calls, in the order in which they came.
  package mutating func drop(of sender: String) -> [Call] {
    let numbers = calls.filter { $0.value.sender == sender }.keys.sorted()
    return numbers.compactMap { take($0) }
  }

  /// Removes all calls.
  ///
  /// - Returns: the calls, in the order in which they came.
  package mutating func dropAll() -> [Call] {
    let numbers = calls.keys.sorted()
    return numbers.compactMap { take($0) }
  }

  /// Calls that wait for an answer. Chosen: more than one user can have waiting (GeoClueService).
  package static var most: Int { 4096 }
}
