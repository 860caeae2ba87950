import LocationModel
import Testing

@testable import LocationEngine

/// Walks every state that a small world can bring an authorization into, breadth first, and tries
/// every input in each of them.
@Suite("Every state and input of the authorization")
struct AuthorizationExplorationTests {
  typealias Grant = AuthorizationRecord.Grant

  @Test("no trap, no prompt twice, no grant without an answer, no change without a word")
  func exploration() {
    let now = Moment(uptime: .start, unixTime: UnixTime(seconds: 1_700_000_000))
    var seen: Set<Authorization> = []
    var edge = [Authorization(app: AuthorizationBench.app, manifest: AuthorizationBench.manifest)]
    var steps = 0
    for _ in 0..<Self.depth {
      var next: [Authorization] = []
      for state in edge {
        for input in Self.inputs(for: state) {
          var machine = state
          let outputs = machine.handle(input, at: now)
          steps += 1
          if let fault = Self.fault(state, input, machine, outputs) {
            Issue.record("\(fault): \(input) in \(state.record), \(state.use): \(outputs)")
            return
          }
          if seen.insert(Self.withoutNumbers(machine)).inserted { next.append(machine) }
        }
      }
      edge = next
    }
    #expect(seen.count > 1900, "the world is smaller than it was")
    #expect(steps > 35_000)
  }

  @Test("every pair of a grant and an input leaves a defined state", arguments: Grant.allCases)
  func pairs(grant: Grant) {
    let now = Moment(uptime: .start, unixTime: UnixTime(seconds: 1_700_000_000))
    for use in AppUse.allCases {
      var state = AuthorizationBench.at(grant).machine
      _ = state.handle(.use(use), at: now)
      for input in Self.inputs(for: state) {
        var machine = state
        let outputs = machine.handle(input, at: now)
        #expect(Self.fault(state, input, machine, outputs) == nil)
      }
    }
  }

  /// Steps: as many as fit the time of a test.
  private static let depth = 6

  private static func inputs(for state: Authorization) -> [Authorization.Input] {
    let open = state.openPrompt?.id ?? Prompt.ID(app: AuthorizationBench.app, number: -1)
    let answers = PromptAnswer.allCases.map {
      Authorization.Input.answered(open, $0, precise: $0 != .once)
    }
    let goals = AuthorizationGoal.allCases.map { Authorization.Input.goal($0) }
    let uses = AppUse.allCases.map { Authorization.Input.use($0) }
    let settings = AuthorizationSetting.allCases.map { Authorization.Input.setting($0) }
    return answers + goals + uses + settings + [
      .request(.whenInUse, manager: 1), .request(.always, manager: 1), .managerReleased(1),
      .precise(false), .services(on: false), .services(on: true), .restriction(true),
      .restriction(false), .reset, .remind, .alwaysEvent(EventNumber(rawValue: 1)),
      .wake,
      .temporaryAccuracy(.call(1), purposeKey: "race"), .manifest(Manifest()),
    ]
  }

  /// States that differ only in the numbers of their prompts have the same future.
  private static func withoutNumbers(_ machine: Authorization) -> Authorization {
    var machine = machine
    machine.record.lastPrompt = 0
    machine.open?.prompt.id.number = 0
    machine.stored = machine.record
    return machine
  }

  private static func fault(
    _ before: Authorization, _ input: Authorization.Input, _ after: Authorization,
    _ outputs: [Authorization.Output]
  ) -> String? {
    promptFault(before, input, after, outputs) ?? grantFault(before, input, after)
      ?? reportFault(before, after, outputs)
  }

  private static func promptFault(
    _ before: Authorization, _ input: Authorization.Input, _ after: Authorization,
    _ outputs: [Authorization.Output]
  ) -> String? {
    let prompts = outputs.compactMap { output -> Prompt? in
      if case .prompt(let prompt) = output { prompt } else { nil }
    }
    if prompts.count > 1 { return "two questions in one step" }
    guard let prompt = prompts.first else {
      return after.openPrompt == nil || after.openPrompt == before.openPrompt
        ? nil : "an open question that was never put"
    }
    if after.openPrompt != prompt { return "a question that is not open" }
    if prompt.id.number <= before.record.lastPrompt { return "a number used twice" }
    if prompt.text.isEmpty && prompt.kind != .reminder { return "a question without a reason" }
    if !after.servicesAreOn || after.isRestricted { return "a question that cannot be answered" }
    if prompt.kind == .whenInUse && after.record.grant != .undecided {
      return "asked though decided"
    }
    let isDismissed = if case .answered(_, .dismissed, _) = input { true } else { false }
    if isDismissed && prompt.kind == before.openPrompt?.kind { return "asked again at once" }
    return nil
  }

  private static func grantFault(
    _ before: Authorization, _ input: Authorization.Input, _ after: Authorization
  ) -> String? {
    let rank: [Grant: Int] = [
      .undecided: 0, .denied: 0, .once: 1, .whenInUse: 1, .provisionalAlways: 2, .always: 3,
    ]
    guard rank[after.record.grant, default: 0] > rank[before.record.grant, default: 0] else {
      return nil
    }
    let isOpen = before.openPrompt != nil
    switch input {
    case .answered(_, .once, _), .answered(_, .whileUsing, _), .answered(_, .accept, _),
      .answered(_, .always, _):
      return isOpen ? nil : "a grant from an answer to nothing"
    case .setting(.whileUsing), .setting(.always): return nil
    default: return "a grant without an answer"
    }
  }

  private static func reportFault(
    _ before: Authorization, _ after: Authorization, _ outputs: [Authorization.Output]
  ) -> String? {
    let changes = outputs.count { if case .changed = $0 { true } else { false } }
    if changes != (before.report == after.report ? 0 : 1) { return "callbacks do not fit" }
    let stores = outputs.count { if case .persist = $0 { true } else { false } }
    if stores != (before.record == after.record ? 0 : 1) { return "storage does not fit" }
    if after.isEffective && !after.status.isGranted { return "effective without a grant" }
    if after.record.grant == .once && after.use == .none { return "once outlives its use" }
    let kinds: [AuthorizationRecord.Grant] = [.whenInUse, .provisionalAlways]
    if after.openPrompt?.kind == .upgrade && !kinds.contains(after.record.grant) {
      return "a second question that is moot"
    }
    return nil
  }
}
