import Glibc
import LocationCoding
import LocationEngine
import LocationHost
import LocationModel
import LocationRecording

extension Verb {
  private static let outputs = Option(
    name: "outputs", summary: "Print every input, and the engine's outputs for it")
  private static let shift = Option(
    name: "shift", value: .text("OUT"),
    summary: "Write a new file to share: all places moved, the first to 0 degrees north and east")
  private static let plain = Option(
    name: "plain", value: .text("OUT"), summary: "Write a new file that is not encrypted")
  static let recordingState = Option(
    name: "state", value: .text("FOLDER"),
    summary: "Take the key of an encrypted recording from beside this state")

  static let replay = Verb(
    name: "replay", summary: "Feed a recording to an engine again, and compare its outputs",
    details: [
      """
      FILE is what `locationctl record` or CORELOCATION_RECORD has made. Ends with 0 when every \
      output is the same, and with 1, saying where, when one differs. Nothing is sent to anyone.
      """,
      """
      An encrypted recording opens with the key of the state that it was made with: yours, else the \
      system's, /var/lib/locationd, for root; --state names another one. Where the key of the system's \
      daemon is a systemd credential, run it with that credential: systemd-run --pty \
      --property LoadCredentialEncrypted=meridian.state-key locationctl replay FILE.
      """,
    ],
    operands: [Operand(name: "FILE", summary: "the recording")],
    options: [.json, outputs, shift, plain, recordingState],
    examples: [
      "locationctl replay drive.rec", "locationctl replay drive.rec --shift shared.rec",
    ],
    run: { invocation in
      let path = invocation.operand(0) ?? ""
      for copy in [shift, plain].compactMap(invocation.text) { try OutputFile.checkNew(copy) }
      let bytes = try RecordingInput.bytes(of: path, as: invocation)
      let printer = StepPrinter(
        isWanted: invocation.has(outputs), isJSON: invocation.has(.json))
      let began = ContinuousClock.now
      let summary: LocationRecording.Replay.Summary
      let moved: [UInt8]?
      do throws(LocationRecording.Replay.Failure) {
        summary = try LocationRecording.Replay.run(bytes, printer.print)
        moved = invocation.has(shift) ? try Displacement.move(bytes) : nil
      } catch { throw RecordingInput.failure(error, in: path, else: invocation.usage) }
      if let copy = invocation.text(shift), let moved {
        try OutputFile.create(moved, at: copy)
      }
      if let copy = invocation.text(plain) { try OutputFile.create(bytes, at: copy) }
      let wall = (ContinuousClock.now - began).inSeconds
      if summary.torn > 0 {
        Output.error.line(
          "locationctl: \(path): the last \(summary.torn) bytes are no whole step; "
            + "everything before them was replayed")
      }
      RecordingInput.show(summary, wall: wall, asJSON: invocation.has(.json))
    })
}

/// A recording as a file, and its summary.
enum RecordingInput {
  /// The recording in a file, opened if it is encrypted.
  static func bytes(of path: String, as invocation: Invocation) throws(Failure) -> [UInt8] {
    try content(
      SimulationFile.bytes(of: path, as: invocation), of: path, in: states(invocation),
      else: invocation.usage)
  }

  /// A recording, opened if it is encrypted with the key of one of these states.
  ///
  /// - Throws: why it does not open; what is no recording as `usage` has it.
  static func content(
    _ bytes: [UInt8], of path: String, in folders: [StateFolder],
    else usage: (String) -> Failure
  ) throws(Failure) -> [UInt8] {
    guard SealedRecording.isSealed(bytes) else { return bytes }
    var keys = SealedRecording.Keys()
    var causes: [String] = []
    for folder in folders {
      do throws(StoreError) { keys.merge(try folder.recordingsKeys) { $1 } } catch {
        // Nobody but root is expected to read that of the system.
        if folder != .ofSystem || geteuid() == 0 { causes.append("\(error)") }
      }
    }
    do throws(RecordingFault) {
      let content = try SealedRecording.open(bytes, with: keys)
      let torn = bytes.count - content.offset
      if torn > 0 {
        Output.error.line("locationctl: \(path): its last \(torn) bytes are cut off")
      }
      return content.bytes
    } catch {
      guard error == .noKey else { throw usage("\(path): \(error)") }
      guard causes.isEmpty else {
        throw .refused("\(path): \(error): \(causes.joined(separator: "; "))", next: nil)
      }
      let places = folders.map(\.keys.path).joined(separator: ", ")
      throw .refused(
        "\(path): \(error): looked in \(places)",
        next: "name the state of who has recorded it, as who may read its key: "
          + "locationctl replay \(path) --state FOLDER")
    }
  }

  /// The states whose keys may open a recording.
  private static func states(_ invocation: Invocation) -> [StateFolder] {
    invocation.text(Verb.recordingState).map { [StateFolder(path: $0)] } ?? usualStates
  }

  /// The states of whoever has typed, and of the system.
  private static var usualStates: [StateFolder] {
    [.ofUser(HostEnvironment.current.variables), .ofSystem].compactMap(\.self)
  }

  /// The fixes of a recording that its engine used, as `watch --json` prints them, one on each line.
  static func fixes(of bytes: [UInt8], named name: String) throws(Failure) -> [UInt8] {
    let usage = { (cause: String) -> Failure in
      .usage(cause, next: "locationctl replay \(name)")
    }
    let content = try content(bytes, of: name, in: usualStates, else: usage)
    var lines: [String] = []
    do throws(LocationRecording.Replay.Failure) {
      _ = try LocationRecording.Replay.run(content) { step, outputs in
        guard case .fix(let fix, _) = step.input else { return }
        let isUsed = !outputs.contains { if case .ignored(fix, _, _) = $0 { true } else { false } }
        if isUsed { lines.append(Report(location: fix).json) }
      }
    } catch {
      throw failure(error, in: name, else: usage)
    }
    return Array(lines.joined(separator: "\n").utf8)
  }

  /// How many steps a recording has.
  static func steps(in path: String, as invocation: Invocation) throws(Failure) -> Int {
    let bytes = try bytes(of: path, as: invocation)
    var count = 0
    do throws(RecordingFault) {
      var reader = try RecordingReader(bytes)
      while let item = try reader.next() {
        if case .step = item { count += 1 }
      }
    } catch { throw Failure.refused("\(path): \(error)", next: nil) }
    return count
  }

  static func failure(
    _ failure: LocationRecording.Replay.Failure, in path: String, else usage: (String) -> Failure
  ) -> Failure {
    switch failure {
    case .unreadable(let fault, let offset):
      return usage("\(path), byte \(offset): \(fault)")
    case .differs(let difference):
      let step = difference.step
      let now = difference.outputs.map { "\n  now      \($0.words)" }.joined()
      return .refused(
        """
        \(path) differs at input \(step.number) of section \(difference.section), \
        \(step.now.unixTime.iso8601)
          input    \(step.input.words)
          expected digest \(difference.expected), got \(difference.got)\(now)
        """, next: nil)
    }
  }

  static func show(
    _ summary: LocationRecording.Replay.Summary, wall: Double, asJSON isJSON: Bool
  ) {
    let digits = String(summary.digest.value, radix: 16)
    let hash = String(repeating: "0", count: 16 - digits.count) + digits
    guard isJSON else {
      let seconds = Int(summary.time.inSeconds)
      let verdict =
        summary.uncompared == 0
        ? "all as recorded" : "not compared for \(summary.uncompared) inputs of an older version"
      return Output.standard.line(
        "\(summary.steps) inputs of \(seconds) s, \(summary.outputs) outputs: "
          + "\(verdict), hash \(hash)")
    }
    var line = JSONLine(type: "replay")
    line.add("sections", summary.sections)
    line.add("inputs", summary.steps)
    line.add("outputs", summary.outputs)
    line.add("recorded_seconds", summary.time.inSeconds)
    line.add("wall_seconds", (wall * 1000).rounded() / 1000)
    line.add("uncompared_inputs", summary.uncompared)
    line.add("torn_bytes", summary.torn)
    line.add("hash", hash)
    Output.standard.line(line.text)
  }
}

/// Prints steps for those who look for a cause.
private struct StepPrinter {
  var isWanted: Bool
  var isJSON: Bool

  func print(_ step: Recording.Step, _ outputs: [Recording.Output]) {
    guard isWanted else { return }
    guard !isJSON else { return Output.standard.line(json(step, outputs)) }
    Output.standard.line("\(step.now.unixTime.iso8601)  \(step.number)  \(step.input.words)")
    for output in outputs { Output.standard.line("    \(output.words)") }
  }

  private func json(_ step: Recording.Step, _ outputs: [Recording.Output]) -> String {
    func text(_ json: JSON) -> String { String(decoding: json.bytes, as: UTF8.self) }
    var line = JSONLine(type: "step")
    line.add("number", Int(step.number))
    line.add("date", step.now.unixTime)
    line.add("input", json: text(step.input.shown))
    line.add("outputs", json: text(.array(outputs.map(\.shown))))
    return line.text
  }
}
