import LocationEngine
import LocationModel
import TestSupport

/// One app with its authorization and its sessions, and the words the tests below use.
struct AuthorizationStateBench {
  var bench: Bench<AppAuthorizationState>

  init(manifest: Manifest = AuthorizationBench.manifest, life: AppLife = .foreground) {
    bench = Bench(AppAuthorizationState(app: AuthorizationBench.app, manifest: manifest)) {
      Self.line($0)
    }
    self.life(life)
  }

  var sessions: Sessions { bench.machine.sessions }
  var authorization: Authorization { bench.machine.authorization }

  /// Sends one input and returns what it brought, in short words.
  @discardableResult
  mutating func send(_ input: AppAuthorizationState.Input) -> [String] {
    let before = bench.outputs.count
    bench.send(input)
    return words(since: before)
  }

  @discardableResult
  mutating func sessions(_ input: Sessions.Input) -> [String] { send(.sessions(input)) }

  @discardableResult
  mutating func life(_ life: AppLife) -> [String] { sessions(.lifecycle(.life(life))) }

  @discardableResult
  mutating func set(_ setting: AuthorizationSetting) -> [String] {
    send(.authorization(.setting(setting)))
  }

  @discardableResult
  mutating func answer(_ answer: PromptAnswer, precise: Bool = true) -> [String] {
    guard let prompt = authorization.openPrompt else { return ["no question is open"] }
    return send(.authorization(.answered(prompt.id, answer, precise: precise)))
  }

  mutating func run(seconds: Double) -> [String] {
    let before = bench.outputs.count
    bench.run(for: .seconds(seconds))
    return words(since: before)
  }

  private func words(since count: Int) -> [String] {
    bench.outputs[count...].compactMap { Self.line($0.output) }
  }

  /// What the log says, and what is stored, is not of interest here.
  static func line(_ output: AppAuthorizationState.Output) -> String? {
    switch output {
    case .authorization(.explain), .sessions(.persist): nil
    case .authorization(let output): AuthorizationBench.line(output)
    case .sessions(.diagnostics(let stream, let flags)): "stream \(stream): \(flags)"
    case .sessions(.finished(let stream)): "stream \(stream) ends"
    case .sessions(.indicator(let shown)): "indicator \(shown ? "on" : "off")"
    case .sessions(.explain(let reason)): "explains: \(reason)"
    case .sessions(.runtimeOver): "runtime over"
    case .sessions(.use), .sessions(.goal), .sessions(.askAccuracy): nil
    }
  }

  /// A restart of the daemon: what was stored, given to a new machine.
  mutating func restartDaemon() {
    var stored: [StateKey: [UInt8]] = [:]
    for case .authorization(.persist(let change)) in bench.outputs.map(\.output) {
      if case .set(let key, let value) = change { stored[key] = value }
    }
    for case .sessions(.persist(let change)) in bench.outputs.map(\.output) {
      switch change {
      case .set(let key, let value): stored[key] = value
      case .remove(let key): stored[key] = nil
      }
    }
    let entries = stored.map { StateEntry(key: $0.key, value: $0.value) }
    var machine = AppAuthorizationState(
      app: AuthorizationBench.app, manifest: AuthorizationBench.manifest)
    _ = machine.restore(from: entries.sorted { $0.key < $1.key }, at: bench.now)
    bench.machine = machine
  }
}
