/// Virtual time could not advance, or advanced past a task of the code under test that was not
/// done.
public struct Standstill: Error, CustomStringConvertible {
  /// What virtual time waits for.
  public enum Cause: Hashable, Sendable {
    /// A job or callback began and does not end: it blocks its thread, or computes without end. The
    /// value is the name of its function, where it has one.
    case work(String?)
    /// The main queue is busy with something that does not belong to this device.
    case mainQueue
    /// A task runs on, or is queued on, an executor of its own: which one, and where in the code.
    case elsewhere(String)
    /// The body of a loop over the device's deliveries is handling an element and awaits something
    /// outside the device. Time has passed to the end nonetheless.
    case loop(String)
    /// A task awaited something outside the device for so long that time advanced without it, and
    /// has just been resumed: what it does now, it should have done earlier.
    case latecomer(String)
    /// The runtime lays out its tasks in a way that is not known here. No time has passed.
    case runtime(String)
  }

  /// What virtual time waits for.
  public let cause: Cause
  /// The virtual time since the device was made.
  public let since: Duration
  /// The real time that was spent waiting.
  public let timeout: Duration

  /// The cause, as a sentence.
  public var description: String {
    switch cause {
    case .work(let place):
      let place = place.map { ", in \($0)" } ?? ""
      return stands + "a task or a callback of the code under test blocks its thread for "
        + "\(timeout)\(place)"
    case .mainQueue:
      return stands + "the main queue is busy with something that is not of this device for "
        + "\(timeout)"
    case .elsewhere(let story):
      return stands + "a task did not come back to the device for \(timeout): \(story)"
    case .loop(let story):
      return "not everything was handled when \(since) had passed: \(story). Give what it awaits "
        + "a stand-in that answers at once"
    case .latecomer(let story):
      return "at \(since) since the device was made, a task came back too late: \(story). Give "
        + "what it awaited a stand-in that answers at once"
    case .runtime(let story): return story
    }
  }

  private var stands: String { "time stands still at \(since) since the device was made: " }
}
