import LocationModel

/// A recording in a file, read once from end to end and then played by its own machine.
struct PlaybackDriver: SourceDriver {
  /// What plays, once the file has been read.
  enum Player: Sendable {
    case track(TrackPlayer)
    /// A receiver's bytes, which go through the machine for its protocol, as in live use. Indirect, since
    /// these machines are large, and a track would be moved with room for them at each fix.
    indirect case log(LogPlayer, NMEAListener)
    indirect case reports(LogPlayer, GpsdClient)
    case fixes(FixesPlayer)
  }

  /// The contents of a file: what can be played, and what cannot.
  struct Contents: Sendable {
    var player: Player
    var losses: [SourceRejection] = []
  }

  private enum State: Sendable {
    case idle
    case reading([UInt8])
    case playing(Player)
    /// No client needs positions now; playing continues from here.
    case paused(Player)
    case failed
  }

  private let path: String
  private let prepare: @Sendable ([UInt8]) throws(PlaybackFault) -> Contents
  private var state = State.idle
  private var status = ProviderStatus.idle
  /// The parts of the file that cannot be played, by reason.
  private var losses: [SourceRejection] = []

  /// Creates a driver. `prepare` turns the bytes of the file into something to play.
  init(path: String, prepare: @escaping @Sendable ([UInt8]) throws(PlaybackFault) -> Contents) {
    self.path = path
    self.prepare = prepare
  }

  var rejections: [SourceRejection] { losses + (listener?.rejections ?? []) }
  var evidence: SourceEvidence { listener?.evidence ?? SourceEvidence() }
  var sky: [Satellite] {
    switch state {
    case .playing(.log(_, let listener)), .paused(.log(_, let listener)): listener.sky
    case .playing(.reports(_, let client)), .paused(.reports(_, let client)): client.sky
    case .idle, .reading, .playing, .paused, .failed: []
    }
  }

  /// The machine that reads a receiver's log; `nil` before it plays, and for other files.
  private var listener: NMEAListener? {
    switch state {
    case .playing(.log(_, let listener)), .paused(.log(_, let listener)): listener
    case .idle, .reading, .playing, .paused, .failed: nil
    }
  }

  var nextDeadline: Instant? {
    guard case .playing(let player) = state else { return nil }
    return player.nextDeadline
  }

  mutating func handle(_ input: SourceInput, at now: Moment) -> [SourceOutput] {
    switch (input, state) {
    case (.demand(let demand), _):
      return demand.needsPosition ? begin(at: now) : rest()
    case (.stored, _): return []
    case (.channel(.bytes(let bytes)), .reading(let before)):
      state = .reading([])
      state = .reading(before + bytes)
      return []
    case (.channel(.closed(.ended)), .reading(let bytes)): return begin(bytes, at: now)
    case (.channel(.closed(let end)), .reading):
      state = .failed
      return status.change(to: .unavailable(end.reason))
    case (.channel, _), (.kernel, _), (.scan, _): return []
    case (.wake, .playing(let player)): return play(player, at: now)
    case (.wake, _): return []
    }
  }

  private mutating func begin(at now: Moment) -> [SourceOutput] {
    switch state {
    case .idle:
      state = .reading([])
      return status.change(to: .searching) + [.open(.file(path: path))]
    case .paused(let player):
      state = .playing(player)
      if player.nextDeadline == nil { return status.change(to: .unavailable(.ended)) }
      return status.change(to: .searching) + play(player, at: now)
    case .reading, .playing, .failed: return []
    }
  }

  private mutating func rest() -> [SourceOutput] {
    switch state {
    case .reading:
      state = .idle
      return status.change(to: .idle) + [.close]
    case .playing(let player):
      state = .paused(player)
      return status.change(to: .idle)
    case .idle, .paused, .failed: return []
    }
  }

  private mutating func begin(_ bytes: [UInt8], at now: Moment) -> [SourceOutput] {
    do throws(PlaybackFault) {
      let contents = try prepare(bytes)
      losses = contents.losses
      return play(contents.player, at: now)
    } catch {
      state = .failed
      return status.change(to: .unavailable(.malformed("\(path): \(error.cause)")))
    }
  }

  private mutating func play(_ player: Player, at now: Moment) -> [SourceOutput] {
    var player = player
    let steps = player.wake(at: now)
    state = .playing(player)
    var outputs: [SourceOutput] = []
    for step in steps {
      switch step {
      case .seen(.fix(var fix)):
        fix.origin.isSimulated = true  // SIM-6
        outputs += status.change(to: .working) + [.fix(fix)]
      case .seen(let output): outputs.append(output)
      case .finished: outputs += status.change(to: .unavailable(.ended))
      }
    }
    return outputs
  }
}

/// Why a recording cannot be played: line and cause.
struct PlaybackFault: Error, Hashable, Sendable {
  var cause: String
}

extension PlaybackDriver.Player {
  enum Step: Hashable, Sendable {
    case seen(SourceOutput)
    case finished
  }

  var nextDeadline: Instant? {
    switch self {
    case .track(let player): player.nextDeadline
    case .log(let player, let listener): earliest(player.nextDeadline, listener.nextDeadline)
    case .reports(let player, let client): earliest(player.nextDeadline, client.nextDeadline)
    case .fixes(let player): player.nextDeadline
    }
  }

  /// Plays what is due.
  mutating func wake(at now: Moment) -> [Step] {
    switch self {
    case .track(var player):
      let outputs = player.handle(.wake, at: now)
      self = .track(player)
      return outputs.map {
        switch $0 {
        case .fix(let fix): .seen(.fix(fix))
        case .finished: .finished
        }
      }
    case .log(var player, var listener):
      let steps = Self.play(&player, to: &listener, at: now)
      self = .log(player, listener)
      return steps
    case .reports(var player, var client):
      let steps = Self.play(&player, into: &client, at: now)
      self = .reports(player, client)
      return steps
    case .fixes(var player):
      let steps = player.handle(.wake, at: now)
      self = .fixes(player)
      return steps
    }
  }

  private static func play(
    _ player: inout LogPlayer, to listener: inout NMEAListener, at now: Moment
  ) -> [Step] {
    var steps: [Step] = []
    var seen = listener.receive(.wake, at: now)
    for output in player.handle(.wake, at: now) {
      switch output {
      case .bytes(let bytes): seen += listener.receive(.bytes(bytes), at: now)
      case .finished:
        seen += listener.receive(.closed, at: now)
        steps.append(.finished)
      }
    }
    return seen.map(Step.seen) + steps
  }

  private static func play(
    _ player: inout LogPlayer, into client: inout GpsdClient, at now: Moment
  ) -> [Step] {
    var steps: [Step] = []
    var received = client.handle(.wake, at: now)
    for output in player.handle(.wake, at: now) {
      switch output {
      case .bytes(let bytes): received += client.handle(.bytes(bytes), at: now)
      case .finished: steps.append(.finished)
      }
    }
    return received.compactMap { if case .fix(let fix, _) = $0 { .seen(.fix(fix)) } else { nil } }
      + steps
  }
}

/// Plays recorded fixes at the pace of their own dates.
struct FixesPlayer: Machine {
  enum Input: MachineInput {
    case wake
  }

  private let fixes: [Fix]
  private var next = 0
  private var due = Instant.start
  private var isFinished = false

  init(_ fixes: [Fix]) {
    self.fixes = fixes
  }

  var nextDeadline: Instant? { isFinished ? nil : due }

  mutating func handle(_ input: Input, at now: Moment) -> [PlaybackDriver.Player.Step] {
    guard !isFinished, now.uptime >= due else { return [] }
    guard next < fixes.count else {
      isFinished = true
      return [.finished]
    }
    let fix = fixes[next]
    next += 1
    if next < fixes.count {
      let begun = due == .start ? now.uptime : due
      due = begun + max(.zero, fixes[next].time - fix.time)
    }
    return [.seen(.fix(fix))]
  }
}
