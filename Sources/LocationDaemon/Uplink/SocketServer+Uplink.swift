import LocationEngine
import LocationFleet
import LocationHost
import LocationLink
import LocationModel
import LocationService

// This computer as a device of a fleet. What is sent, and when, is decided by `Uplink`; whether the fleet may
// know the location, by the engine, of which this is one app.
extension SocketServer {
  /// Begins to send fixes to the ingress that the configuration names; without one, erases what an
  /// earlier one was to get.
  nonisolated package func serveUplink(_ settings: UplinkSettings?) {
    enter { $0.beginUplink(settings) }
  }

  private func beginUplink(_ settings: UplinkSettings?) {
    let entries = host.onQueue { $0.storedEntries.filter { $0.key.domain == Uplink.domain } }
    let strays = entries.filter { $0.key.owner != settings?.app.name }
    host.onQueue { host in host.persist(strays.map { .remove($0.key) }) }
    guard let settings else { return }
    uplink.settings = settings
    uplink.timer = UptimeTimer(on: queue) { [weak self] in self?.onQueue { $0.stepUplink(.wake) } }
    readUplinkFiles(settings)
    let state = joinUplink(settings)
    uplink.machine = Uplink(
      settings.name, of: settings.app, every: settings.interval, after: state.lastFix?.time)
    journal.write(
      .service,
      "sends fixes to \(settings.server.origin ?? "") as the app \(settings.app), if that may know the location"
    )
    stepUplink(.stored(entries))
    settleUplink(state)
  }

  /// Where they cannot be used, fixes wait for a person, within the bounds, and as long as they may.
  private func readUplinkFiles(_ settings: UplinkSettings) {
    do throws(UplinkFault) {
      uplink.request = try settings.request()
      uplink.fault = nil
    } catch {
      uplink.request = nil
      guard uplink.fault != error.reason else { return }
      uplink.fault = error.reason
      journal.write(.service, "sends nothing to the fleet: \(error.reason)", isFault: true)
    }
  }

  /// Adds the uplink to the engine as an app. The configuration has said yes for it; what the owner
  /// decides later counts.
  private func joinUplink(_ settings: UplinkSettings) -> ClientState {
    let app = settings.app
    var manifest = Manifest(file: "the configuration of locationd")
    manifest.whenInUseUsage = "The fleet that the configuration names."
    manifest.alwaysAndWhenInUseUsage = manifest.whenInUseUsage
    let description = ClientDescription(app: app, manifest: manifest)
    let (client, state) = host.onQueue { host in
      let (client, state) = host.add(description) { [weak self] delivery in
        // Not now: the engine is in the middle of a step.
        self?.enter { $0.takeUplink(delivery) }
      }
      if state.authorization.status == .notDetermined {
        host.step(.engine(.setting(.authorization(app, .always))))
      }
      return (client, host.core.engine.state(of: client))
    }
    uplink.client = client
    return state
  }

  private func takeUplink(_ delivery: Delivery) {
    switch delivery {
    case .state(let state): settleUplink(state)
    case .updates(_, .fixes(let fixes)): for fix in fixes { stepUplink(.fix(fix)) }
    default: break
    }
  }

  private func settleUplink(_ state: ClientState) {
    guard let before = uplink.machine?.permission else { return }
    let permission = uplink.permission(in: state)
    stepUplink(.permission(permission))
    guard let client = uplink.client, (permission == .none) != (before == .none) else { return }
    var options = UpdateOptions(accuracy: uplink.settings?.isPrecise == true ? .best : .reduced)
    options.allowsBackground = true
    options.showsIndicator = true
    let request = permission == .none ? UpdatesRequest.stop : .start(options)
    host.onQueue { $0.take(.updates(SubscriberID(1), request), from: client) }
  }

  private func stepUplink(_ input: Uplink.Input) {
    // What was erased is sent to nobody, until the daemon has started over.
    guard !host.onQueue({ $0.keeper?.isErased ?? false }) else { return }
    switch input {
    case .fix, .answer, .wake:
      // What the engine says now: its word comes late where it cannot be stored yet.
      if let client = uplink.client {
        let state = host.onQueue { $0.core.engine.state(of: client) }
        if uplink.permission(in: state) != uplink.machine?.permission { settleUplink(state) }
      }
    case .stored, .permission: break
    }
    guard let outputs = uplink.machine?.handle(input, at: host.now) else { return }
    let changes = outputs.compactMap { output -> StateChange? in
      if case .persist(let change) = output { change } else { nil }
    }
    // Asked for before anything of it is sent.
    host.onQueue { $0.persist(changes) }
    for output in outputs {
      switch output {
      case .persist: break
      case .post(let number, let lines): post(lines, as: number)
      case .say(let text, let isFault):
        journal.write(.service, "uplink: \(text)", isFault: isFault)
      }
    }
    armUplink()
    // What became of a request is no step of the engine.
    if !owner.status.isEmpty { noteStep() }
  }

  private func post(_ lines: [UInt8], as number: Int) {
    if uplink.request == nil, let settings = uplink.settings { readUplinkFiles(settings) }
    guard var request = uplink.request else {
      let fault = uplink.fault ?? "its files cannot be used"
      return enter { $0.stepUplink(.answer(number, .unreachable(fault))) }
    }
    request.body = lines
    host.ask(request) { [weak self] answer in
      self?.enter { server in
        // Somebody may correct the password.
        if case .response(401, _, _) = answer { server.uplink.request = nil }
        server.stepUplink(.answer(number, answer))
      }
    }
  }

  private func armUplink() {
    if let due = uplink.machine?.nextDeadline { uplink.timer?.arm(at: due) }
  }
}
