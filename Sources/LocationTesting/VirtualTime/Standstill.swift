/// Virtual time could not go on, or went on without something: code under test does not come back.
public struct Standstill: Error, CustomStringConvertible {
  /// What time waits for.
  public enum Cause: Hashable, Sendable {
    /// A piece of work began and does not end: it blocks its thread, or computes without end. With
    /// the function that it is, where it has a name.
    case work(String?)
    /// The main queue is busy with something that is not of this device.
    case mainQueue
    /// A task runs on an executor of its own, or waits for its turn there: which, and where.
    case elsewhere(String)
    /// The body of a loop over the device's news has an element in hand and awaits something that
    /// is not of the device. Time has passed nonetheless, to the end.
    case loop(String)
    /// A task awaited something that is not of the device for so long that time went on without it,
    /// and has just come back: what it does now, it should have done before.
    case latecomer(String)
  }

  /// What time waits for.
  public let cause: Cause
  /// Virtual time since the device was made.
  public let since: Duration
  /// Real time that was waited.
  public let timeout: Duration

  /// The cause, in words.
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
    }
  }

  private var stands: String { "time stands still at \(since) since the device was made: " }
}
