import LocationEngine
import LocationModel
import TestSupport

/// An app with every key, and the words the tests below use.
struct AuthorizationBench {
  static let app = AppIdentity("org.example.walk")
  static let manifest = Manifest([
    Manifest.Key.displayName: .string("Walk"),
    Manifest.Key.whenInUse: .string("To draw your walk."),
    Manifest.Key.always: .string("To draw it in your pocket."),
    Manifest.Key.temporary: .dictionary(["race": .string("To time your race.")]),
    Manifest.Key.backgroundModes: .array([.string("location")]),
  ])

  var bench: Bench<Authorization>

  init(manifest: Manifest = Self.manifest, use: AppUse = .direct) {
    bench = Bench(Authorization(app: Self.app, manifest: manifest)) { Self.line($0) }
    bench.send(.use(use))
  }

  var machine: Authorization { bench.machine }
  var status: AuthorizationStatus { bench.machine.status }
  var grant: AuthorizationRecord.Grant { bench.machine.record.grant }

  /// Sends one input and returns what it brought, in short words.
  mutating func send(_ input: Authorization.Input) -> [String] {
    let before = bench.outputs.count
    bench.send(input)
    return bench.outputs[before...].compactMap { Self.line($0.output) }
  }

  mutating func request(_ goal: AuthorizationGoal) -> [String] {
    send(.request(goal, manager: 1))
  }

  /// Answers the open question; an answer to none is a failure of the test.
  mutating func answer(_ answer: PromptAnswer, precise: Bool = true) -> [String] {
    guard let prompt = machine.openPrompt else { return ["no question is open"] }
    return send(.answered(prompt.id, answer, precise: precise))
  }

  /// Brings the app to a grant by the questions that lead there.
  mutating func reach(_ grant: AuthorizationRecord.Grant, precise: Bool = true) {
    switch grant {
    case .undecided:
      break
    case .denied:
      _ = request(.whenInUse) + answer(.deny)
    case .once:
      _ = request(.whenInUse) + answer(.once, precise: precise)
    case .whenInUse:
      _ = request(.whenInUse) + answer(.whileUsing, precise: precise)
    case .provisionalAlways:
      _ = request(.always) + answer(.whileUsing, precise: precise)
    case .always:
      reach(.whenInUse, precise: precise)
      _ = request(.always) + answer(.always)
    }
  }

  static func at(_ grant: AuthorizationRecord.Grant, precise: Bool = true) -> Self {
    var bench = Self()
    bench.reach(grant, precise: precise)
    return bench
  }

  /// What is remembered is checked by its own tests and would only repeat the rest here.
  static func line(_ output: Authorization.Output) -> String? {
    switch output {
    case .report(let report, let manager): "manager \(manager): \(line(report))"
    case .changed(let report): line(report)
    case .prompt(let prompt): "asks \(prompt.kind)"
    case .withdraw: "withdraws"
    case .completed(let requester, let error): "\(requester) ends: \(error?.rawValue ?? "no error")"
    case .postponed(let session): "postpones \(session)"
    case .release(let event): "event \(event.rawValue)"
    case .drop(let event, let reason): "drops \(event.rawValue): \(reason.rawValue)"
    case .explain(let reason): "explains: \(reason)"
    case .persist: nil
    }
  }

  private static func line(_ report: AuthorizationReport) -> String {
    report.accuracy == .full ? report.status.rawValue : "\(report.status.rawValue), reduced"
  }
}
