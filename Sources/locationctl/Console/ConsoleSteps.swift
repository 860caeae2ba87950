import LocationEngine
import LocationModel
import LocationSimulation

/// The passing of a day in a test in Swift: what happens in it, each at its time.
struct ConsoleSteps {
  /// What happens, in the order of its times.
  private let events: [Scenario.Event]
  private let begin: UnixTime
  private let end: Duration

  /// The changes of a day, and what happens in its own story, unless it is about the receiver: that
  /// is in the way already.
  init(_ day: ConsoleDay, until end: Duration) {
    var events = day.changes
    if case .scenario(let scenario) = day.input {
      events += scenario.events.filter { !$0.isOfReceiver }
    }
    self.events = events.inOrder
    self.begin = day.begin
    self.end = end
  }

  /// The statements, indented as the test needs it.
  var text: String {
    var lines: [String] = []
    var (now, ahead) = (Duration.zero, Duration.zero)
    func wait(until time: Duration) {
      let seconds = Int((time - now).inSeconds)
      guard seconds > 0 else { return }
      lines.append("try await device.advance(by: .seconds(\(seconds)))")
      now += .seconds(seconds)
    }
    for event in events where event.at < end {
      wait(until: event.at)
      if case .date(let date) = event.worldEvent {
        let step = date - (begin + event.at) - ahead
        ahead += step
        lines.append("device.stepClock(by: .seconds(\(step.inSeconds)))")
      } else {
        let line = Self.statement(event.worldEvent)
        lines.append(line ?? "// Not in this test: \(event.text)")
      }
    }
    wait(until: end)
    return lines.map { "      " + $0 }.joined(separator: "\n")
  }

  private static func statement(_ event: WorldEvent) -> String? {
    switch event {
    case .input(.setting(let setting)): statement(setting)
    case .input(.client(_, .life(let life))):
      switch life {
      case .foreground: "app.moveToForeground()"
      case .background: "app.moveToBackground()"
      case .suspended: "app.suspend()"
      default: nil
      }
    case .sky(let sky): "device.cover(\(sky.map { ".\($0.rawValue)" } ?? "nil"))"
    case .hotspot(let isOn): "device.turnHotspots(on: \(isOn))"
    case .fault(_, let fault): "device.breakReceiver(\(fault.map(words) ?? "nil"))"
    case .habit(let replies):
      "device.person(\n        answers: "
        + replies.flatMap { answers($0.answer) }.joined(separator: ", ")
        + ", after: .seconds(\(replies.first?.delay.inSeconds ?? 1)))"
    default: nil
    }
  }

  private static func statement(_ setting: Setting) -> String? {
    switch setting {
    case .services(let isOn): "device.turnLocationServices(on: \(isOn))"
    case .authorization(_, let permission): "app.setPermission(.\(permission.rawValue))"
    case .precise(_, let isOn): "app.setPreciseLocation(\(isOn))"
    case .beacon(_, .allowed): "app.setBeaconAdvertising(true)"
    case .beacon(_, .declined): "app.setBeaconAdvertising(false)"
    default: nil
    }
  }

  private static func words(_ fault: VirtualReceiver.Fault) -> String {
    switch fault {
    case .silent: ".silent"
    case .unplugged: ".unplugged"
    case .clock(let time): ".clockAhead(.seconds(\(time.inSeconds)))"
    case .lies(let claim, let off, let bearing):
      ".lies(claim: \(claim * 1.51), off: \(off), towards: \(bearing))"
    }
  }

  /// The names of an answer; one that fits two questions has two.
  private static func answers(_ answer: PromptAnswer) -> [String] {
    switch answer {
    case .once: [".allowOnce"]
    case .whileUsing: [".allowWhileUsing"]
    case .deny: [".doNotAllow"]
    case .always: [".changeToAlways"]
    case .keepWhileUsing: [".keepWhileUsing"]
    case .accept: [".allowFullAccuracy", ".allowBeacon"]
    case .decline: [".keepReducedAccuracy", ".doNotAllowBeacon"]
    case .dismissed: [".dismiss"]
    }
  }
}

extension Scenario.Event {
  /// Whether it is about a simulated receiver or its sky.
  var isOfReceiver: Bool {
    switch worldEvent {
    case .fault, .sky: true
    default: false
    }
  }
}
