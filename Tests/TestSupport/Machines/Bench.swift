package import LocationModel

/// Runs one machine in virtual time and writes down what it says, and when.
///
/// Each line of the transcript is `HH:MM:SS  output`, with milliseconds added when not zero.
package struct Bench<M: Machine> {
  package var machine: M
  package private(set) var now: Moment
  package private(set) var outputs: [(at: Instant, output: M.Output)] = []
  private let describe: @Sendable (M.Output) -> String?

  /// An output for which `describe` says `nil` is left out of the transcript.
  package init(
    _ machine: M,
    startingAt unixTime: UnixTime = UnixTime(seconds: 1_700_000_000),
    describe: @escaping @Sendable (M.Output) -> String? = { "\($0)" }
  ) {
    self.init(
      machine, startingAt: Moment(uptime: .start, unixTime: unixTime), describe: describe)
  }

  package init(
    _ machine: M, startingAt moment: Moment,
    describe: @escaping @Sendable (M.Output) -> String? = { "\($0)" }
  ) {
    self.machine = machine
    now = moment
    self.describe = describe
  }

  /// Hands in one input now.
  package mutating func send(_ input: M.Input) {
    for output in machine.handle(input, at: now) { outputs.append((now.uptime, output)) }
  }

  /// Lets time pass, waking the machine whenever it asks to be woken.
  package mutating func run(for duration: Duration) {
    let end = now.uptime + duration
    var wakes = 0
    while let deadline = machine.nextDeadline, deadline <= end {
      advance(to: max(deadline, now.uptime))
      send(.wake)
      wakes += 1
      precondition(wakes < 1_000_000, "the machine asks to be woken without end")
    }
    advance(to: end)
  }

  /// As when somebody sets the clock of the computer; the uptime goes on as before.
  package mutating func setClock(ahead duration: Duration) {
    now = Moment(uptime: now.uptime, unixTime: now.unixTime + duration)
  }

  private mutating func advance(to instant: Instant) {
    let step = instant - now.uptime
    now = Moment(uptime: instant, unixTime: now.unixTime + step)
  }

  /// Everything the machine said, a line each.
  package var transcript: String {
    outputs.compactMap { entry in
      describe(entry.output).map { "\(Self.clock(entry.at))  \($0)" }
    }.joined(separator: "\n")
  }

  private static func clock(_ instant: Instant) -> String {
    let milliseconds = instant.nanoseconds / 1_000_000
    let seconds = milliseconds / 1000
    let fields = [seconds / 3600, seconds / 60 % 60, seconds % 60]
    let time = fields.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    let rest = milliseconds % 1000
    guard rest != 0 else { return time }
    return time + "." + String(String(rest + 1000).dropFirst())
  }
}
