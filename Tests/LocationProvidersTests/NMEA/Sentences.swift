import LocationModel
import LocationProviders
import LocationSimulation

func sentence(_ text: String) -> [UInt8] { NMEAWriter.sentence(text) }

func sentences(_ texts: String...) -> [UInt8] { texts.flatMap(sentence) }

/// 2026-08-04T12:00:00Z, the host's date unless a test says otherwise.
let noon = Moment(uptime: .start, unixTime: UnixTime(seconds: 1_785_844_800))

extension NMEAReceiver {
  /// What it says to these bytes, all at once.
  mutating func read(_ bytes: [UInt8], at now: Moment = noon) -> [Output] {
    handle(.bytes(bytes), at: now)
  }

  /// What it says to the bytes of a port that is then closed.
  static func outputs(_ bytes: [UInt8], at now: Moment = noon) -> [Output] {
    var receiver = NMEAReceiver()
    return receiver.handle(.bytes(bytes), at: now) + receiver.handle(.closed, at: now)
  }

  static func fixes(_ bytes: [UInt8], at now: Moment = noon) -> [Fix] {
    outputs(bytes, at: now).compactMap(\.fix)
  }
}

extension NMEAReceiver.Output {
  var fix: Fix? {
    if case .fix(let fix, _) = self { return fix }
    return nil
  }
}
