/// A part of the system that decides and never acts.
///
/// A machine has no clock, no file, no thread, no task, and no randomness of its own: the same
/// inputs at the same moments give the same outputs, in every process and on every machine.
package protocol Machine<Input, Output>: Sendable {
  associatedtype Input: MachineInput
  associatedtype Output: Sendable

  /// Takes one input and returns everything that the caller must do now, in order.
  mutating func handle(_ input: Input, at now: Moment) -> [Output]

  /// When `handle(.wake, at:)` is next due; `nil` while only an input can matter.
  var nextDeadline: Instant? { get }
}

/// The inputs of a machine.
package protocol MachineInput: Sendable {
  /// Time has passed. A wake that comes too early changes nothing.
  static var wake: Self { get }
}

/// Returns the earlier of two deadlines, where `nil` means "none".
package func earliest(_ first: Instant?, _ second: Instant?) -> Instant? {
  guard let first else { return second }
  guard let second else { return first }
  return min(first, second)
}

/// Returns whether a deadline has passed; `false` for `nil`.
package func isDue(_ deadline: Instant?, _ now: Moment) -> Bool {
  deadline.map { $0 <= now.uptime } ?? false
}
