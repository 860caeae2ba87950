/// Virtual time could not go on: code under test does not come back.
public struct Standstill: Error, CustomStringConvertible {
  /// What time waits for.
  public enum Cause: Sendable {
    /// A piece of work began and does not end: it blocks its thread, or computes without end.
    case work
    /// The main queue is busy with something that is not of this device.
    case mainQueue
  }

  /// What time waits for.
  public let cause: Cause
  /// Virtual time since the device was made.
  public let since: Duration
  /// Real time that was waited.
  public let patience: Duration

  /// The cause, in words.
  public var description: String {
    let what =
      switch cause {
      case .work: "a task or a callback of the code under test blocks its thread"
      case .mainQueue: "the main queue is busy with something that is not of this device"
      }
    return "time stands still at \(since) since the device was made: \(what) for \(patience)"
  }
}
