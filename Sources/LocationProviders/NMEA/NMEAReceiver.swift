package import LocationModel

/// A receiver that sends NMEA 0183: takes bytes, returns observations.
///
/// Sentences about one instant make one epoch, and one epoch makes at most one fix. The fix is
/// emitted with the sentence that has ended every epoch so far (`NMEACycle`); until that is
/// learned, it is emitted when the next epoch begins or when no bytes come.
package struct NMEAReceiver: Machine {
  package enum Input: MachineInput {
    /// The port is open; bytes from before are not continued.
    case opened
    case bytes([UInt8])
    /// Bytes that are complete: no later bytes continue them.
    case datagram([UInt8])
    case closed
    case wake
  }

  package enum Output: Hashable, Sendable {
    case fix(Fix, FixDimensions)
    /// A position discarded for another one of the same epoch; it never becomes a fix.
    case superseded(Fix)
    case heading(NMEAHeading)
    /// The satellites of an epoch, once after its end.
    case satellites(SatelliteSummary)
    case rejected(NMEARejection)
  }

  /// Counts since the port was opened.
  package private(set) var status = NMEAReceiverStatus()

  private let origin: Fix.Origin
  private var reader = NMEASentenceReader()
  private var clock = NMEAClock()
  private var cycle = NMEACycle()
  private var epoch: NMEAEpoch?
  private var sky = NMEASkyView()
  /// The last GSA, kept because some receivers send it only every few epochs.
  private var dilution: Dilution?
  /// A motion that came after the epoch's fix, and therefore belongs to the next epoch.
  private var earlyMotion: NMEAMotion?
  /// When the current epoch is considered complete, if no more bytes come.
  package private(set) var nextDeadline: Instant?

  private struct Dilution: Hashable, Sendable {
    var value: NMEADilution
    var arrival: Instant
  }

  package init(origin: Fix.Origin = Fix.Origin()) {
    self.origin = origin
  }

  /// The satellites of the last epoch that had any; read from its sentences at each call.
  package var satellites: [Satellite] { sky.satellites }

  package mutating func handle(_ input: Input, at now: Moment) -> [Output] {
    var outputs: [Output] = []
    switch input {
    case .opened:
      self = NMEAReceiver(origin: origin)
    case .bytes(let bytes), .datagram(let bytes):
      var index = 0
      while let event = reader.next(in: bytes, from: &index) {
        switch event {
        case .sentence: understand(at: now, &outputs)
        case .rejected(let reason): reject(reason, &outputs)
        }
      }
      status.bytes += bytes.count
      status.binaryBytes = reader.skippedBinary
      if let epoch, epoch.isSolved, !epoch.hasBeenPutOut { nextDeadline = now.uptime + Self.quiet }
      guard case .datagram = input, case .rejected(let reason)? = reader.cut() else { break }
      reject(reason, &outputs)
    case .closed:
      closeEpoch(at: now, &outputs)
      reader = NMEASentenceReader()
    case .wake:
      guard let nextDeadline, now.uptime >= nextDeadline else { break }
      putOut(at: now, &outputs)
    }
    return outputs
  }

  private mutating func reject(_ reason: NMEARejection, _ outputs: inout [Output]) {
    status.count(reason)
    outputs.append(.rejected(reason))
  }

  // MARK: Sentences

  /// Handles the sentence that the reader has found.
  private mutating func understand(at now: Moment, _ outputs: inout [Output]) {
    status.sentences += 1
    guard let kind = NMEAKind(reader.line) else { return status.count(.unsupported) }
    let sentence: NMEASentence
    do throws(NMEARejection) { sentence = try NMEASentence(kind, reader.line) } catch {
      return reject(error, &outputs)
    }
    switch sentence {
    case .position(let position, _), .minimum(let position, _, _, _):
      if position.validity == .none {
        status.sentencesWithoutPosition += 1
      } else if position.place == nil || sentence.timeOfDay == nil {
        reject(position.place == nil ? .noPlace : .noTime, &outputs)
      }
      add(sentence, kind, at: now, &outputs)
    case .errors: add(sentence, kind, at: now, &outputs)
    case .motion(let motion): add(motion, at: now, &outputs)
    case .dilution(let dilution):
      self.dilution = Dilution(value: dilution, arrival: now.uptime)
      sky.add(dilution)
      sky.keep(reader.line)
    case .sky(let series):
      sky.add(series)
      sky.keep(reader.line)
    case .date(let date, let timeOfDay): clock.set(date, timeOfDay: timeOfDay, at: now)
    case .heading(let heading): outputs.append(.heading(heading))
    case .empty: break
    }
  }

  /// Adds a sentence with a time: it belongs to the epoch of that time, or begins it.
  private mutating func add(
    _ sentence: NMEASentence, _ kind: NMEAKind, at now: Moment, _ outputs: inout [Output]
  ) {
    guard let timeOfDay = sentence.timeOfDay else { return }
    if epoch?.timeOfDay != timeOfDay { beginEpoch(timeOfDay, at: now, &outputs) }
    if case .minimum(let position, _, _, let date?) = sentence, position.validity != .none {
      clock.set(date, timeOfDay: timeOfDay, at: now)
    }
    let isEnd = cycle.note(kind)
    if epoch?.hasBeenPutOut == true {
      status.count(.late)
      cycle.forget()
    } else {
      if let place = epoch?.merge(sentence) { supersede(place, at: now, &outputs) }
      if isEnd { putOut(at: now, &outputs) }
    }
  }

  private mutating func add(_ motion: NMEAMotion, at now: Moment, _ outputs: inout [Output]) {
    if epoch?.hasBeenPutOut == true {
      earlyMotion = motion
    } else {
      epoch?.merge(motion)
      if cycle.note(.vtg) { putOut(at: now, &outputs) }
    }
  }

  // MARK: Epochs

  private mutating func beginEpoch(
    _ timeOfDay: Int64, at now: Moment, _ outputs: inout [Output]
  ) {
    closeEpoch(at: now, &outputs)
    var next = NMEAEpoch(timeOfDay: timeOfDay)
    if let earlyMotion { next.merge(earlyMotion) }
    earlyMotion = nil
    epoch = next
  }

  private mutating func putOut(at now: Moment, _ outputs: inout [Output]) {
    nextDeadline = nil
    guard let epoch, let place = epoch.place, epoch.isSolved, !epoch.hasBeenPutOut else {
      return
    }
    let dilution = currentDilution(at: now)
    self.epoch?.hasBeenPutOut = true
    status.fixes += 1
    outputs.append(
      .fix(fix(of: epoch, at: place, now), epoch.dimensions(dilution)))
  }

  private func supersede(_ place: NMEAPlace, at now: Moment, _ outputs: inout [Output]) {
    guard let epoch else { return }
    outputs.append(.superseded(fix(of: epoch, at: place, now)))
  }

  @inline(__always)
  private func fix(of epoch: NMEAEpoch, at place: NMEAPlace, _ now: Moment) -> Fix {
    let time = clock.time(of: epoch.timeOfDay, at: now)
    return epoch.fix(at: place, time, currentDilution(at: now), origin)
  }

  private mutating func closeEpoch(at now: Moment, _ outputs: inout [Output]) {
    putOut(at: now, &outputs)
    guard let epoch else { return }
    cycle.close()
    if let summary = sky.close(satellitesUsed: epoch.satellitesUsed) {
      outputs.append(.satellites(summary))
    }
    self.epoch = nil
  }

  @inline(__always)
  private func currentDilution(at now: Moment) -> NMEADilution? {
    guard let dilution, now.uptime - dilution.arrival <= Self.dilutionLife else { return nil }
    return dilution.value
  }

  /// Chosen: longer than the pauses within an epoch, at 4,800 baud and over USB alike.
  private static let quiet = Duration.milliseconds(250)
  /// Chosen: receivers send GSA at least every five seconds.
  private static let dilutionLife = Duration.seconds(10)
}
