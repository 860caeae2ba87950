import Dispatch
import LocationCoding
import LocationHost
import LocationService
import LocationEngine
import LocationLink
import LocationModel
import LocationProviders

// The owner's calls: who may make them, their answers, and who follows.
extension SocketServer {
  /// Resumes what the owner monitored before, and connects the log to its followers.
  func beginAdministration() {
    host.onQueue { host in
      host.observer = { [weak self] output in self?.onQueue { $0.observe(output) } }
    }
    host.onQueue { host in
      host.cutOff = { [weak self] client in
        guard let server = self else { return }
        // Not now: the engine may be in the middle of a step.
        server.queue.async { server.onQueue { $0.cutOff(client) } }
      }
    }
    journal.follow { [weak self] record in
      guard let server = self else { return }
      server.queue.async { server.onQueue { $0.sendToFollowers(record) } }
    }
    host.onQueue { host in
      host.usesChanged = { [weak self] in
        guard let server = self else { return }
        server.queue.async { server.onQueue { $0.sendUses() } }
      }
    }
    let hasMonitored = host.onQueue { host in
      host.storedEntries.contains {
        $0.key.owner == AppIdentity.owner.name && $0.key.domain == "condition"
      }
    }
    if hasMonitored { _ = ownerClient() }
  }

  func administer(_ call: LinkCall, of number: Int) {
    check(number, { check, peer throws(AccessRefusal) in try check.checkOwner(peer) }) {
      server, refusal in
      guard let connection = server.connections[number] else { return }
      if let refusal {
        server.refuse(refusal, connection)
        return server.answer(
          number, refusal.json, error: "\(AdministrationInterface.name).NotOwner")
      }
      connection.isOwners = true
      server.administerChecked(call, of: number)
    }
  }

  private func administerChecked(_ call: LinkCall, of number: Int) {
    let request: AdministrationRequest?
    do throws(CodingFault) { request = try AdministrationRequest(call) } catch {
      let parameter = JSON.fields(["parameter": .string("\(error)")])
      return answer(number, parameter, error: "\(LinkInterface.service).InvalidParameter")
    }
    guard let request else {
      let method = JSON.fields(["method": .string(call.method)])
      return answer(number, method, error: "\(LinkInterface.service).MethodNotFound")
    }
    guard call.wantsMore || !request.isStream else {
      return answer(number, .object([]), error: "\(LinkInterface.service).ExpectedMore")
    }
    do throws(AdministrationFault) { try carryOut(request, of: number) } catch {
      refuse(error, to: number)
    }
  }

  private func carryOut(
    _ request: AdministrationRequest, of number: Int
  ) throws(AdministrationFault) {
    switch request {
    case .status(let places): answer(number, .fields(["status": status(places: places).json]))
    case .followStatus(let places): followStatus(number, places: places)
    case .apps:
      host.onQueue { $0.settleUses() }
      answer(number, .fields(["apps": apps().json]))
    case .authorize(let app, let level, let precise, let beacon):
      decide(AppIdentity(app), (level, precise, beacon), for: number)
    case .adopt(let app, let program):
      answer(number, .fields(["before": try adopt(AppIdentity(app), program).json]))
    case .resetAuthorization:
      answer(number, .fields(["apps": try resetAuthorization().json]))
    case .services(let on):
      try turnServices(on)
      journal.write(.authorization, "location services are \(on ? "on" : "off")")
      sendUses()
      answer(number, .object([]))
    case .conditions(let places):
      let conditions = host.onQueue { $0.conditionStatuses(places: places) }
      answer(number, .fields(["conditions": conditions.json]))
    case .addCondition(let identifier, let circle):
      try monitor(identifier, .circle(circle), for: number)
    case .addPolygon(let identifier, let outline):
      try monitor(identifier, .polygon(outline), for: number)
    case .removeCondition(let identifier):
      try remove(identifier)
      answer(number, .object([]))
    case .followEvents: followEvents(number)
    case .followUse: followUse(number)
    case .followLocations(let options, let once):
      try followLocations(number, options, isOnce: once)
    case .simulate(let fix, let hold):
      try simulate(fix, isHeld: hold, by: number)
      answer(number, .object([]))
    case .endSimulation:
      let ended = owner.simulation.clear()
      if ended { restoreSources() }
      answer(number, .fields(["ended": ended.json]))
    case .log(let query): readLog(query, of: number)
    case .access(let app):
      let records = host.onQueue { $0.accessRecords(of: app) }
      answer(number, .fields(["access": records.json]))
    case .events(let app):
      list(host.onQueue { $0.eventRecords(of: app) }, as: "event", to: number)
    case .adapters:
      answer(number, .fields(["adapters": host.onQueue { $0.adapters() }.json]))
    case .calibrate(let adapter, let offset):
      try calibrate(adapter, offset)
      answer(number, .object([]))
    case .map: answer(number, host.onQueue { $0.mapAnswer })
    case .importMap(let items, let last):
      answer(number, .fields(["refused": try importMap(items, isLast: last).json]))
    case .forgetMap: answer(number, .fields(["rows": try forgetMap().json]))
    case .forgetMapNear(let circle): answer(number, try forgetMap(within: circle))
    case .export(let app): export(app, to: number)
    case .erase(let app): try erase(app, of: number)
    case .rekey(let key): answer(number, .fields(["rows": try rekey(key).json]))
    }
  }

  /// Sends everything that is stored of an app, or of all.
  private func export(_ app: String?, to number: Int) {
    let entries = host.onQueue { $0.storedEntries }
    let files = app == nil ? host.onQueue { $0.keeper?.damagedFiles ?? [] } : []
    list(
      entries.filter { app == nil || $0.key.owner == app }.map { DataEntry($0) }
        + files.map { DataEntry($0) }, as: "entry", to: number)
  }

  /// All apps, and why those that are suspended cannot be woken.
  func apps() -> [AppStatus] {
    var apps = host.onQueue { $0.apps() }
    for index in apps.indices {
      apps[index].asleep = sleeping.obstacle(of: AppIdentity(apps[index].app))
    }
    return apps
  }

  /// Gives an identifier to another program; processes that had it, and those that wanted it, come again.
  private func adopt(_ app: AppIdentity, _ program: String) throws(AdministrationFault) -> String {
    let result: Result<String, AdministrationFault> = host.onQueue { host in
      Result { () throws(AdministrationFault) in try host.adopt(app, by: program) }
    }
    let before = try result.get()
    journal.write(
      .authorization, "\(app) is now \(program), and was \(before)",
      from: LogCaller(app: app.name))
    for (number, connection) in connections.sorted(by: { $0.key < $1.key })
    where connection.client != nil
      && (connection.app == app || connection.peer.executable == program)
    {
      cut(number, because: "the owner has given \(app) to \(program)")
    }
    cutBusCallers { $0.app == app || $0.peer?.executable == program }
    return before
  }

  /// Resets what every app may know; running apps are notified.
  private func resetAuthorization() throws(AdministrationFault) -> [String] {
    let result: Result<[String], AdministrationFault> = host.onQueue { host in
      Result { () throws(AdministrationFault) in try host.resetAuthorization() }
    }
    let apps = try result.get()
    journal.write(.authorization, "reset what all apps may know; \(apps.count) have changed")
    return apps
  }

  private func calibrate(
    _ adapter: BluetoothAddress, _ offset: Int?
  ) throws(AdministrationFault) {
    let result: Result<Void, AdministrationFault> = host.onQueue { host in
      Result { () throws(AdministrationFault) in try host.calibrate(adapter, offset) }
    }
    try result.get()
    let verdict = offset.map { "receives \($0) dB more than beacons claim" } ?? "is forgotten"
    journal.write(.service, "the Bluetooth adapter \(adapter) \(verdict)")
  }

  private func turnServices(_ on: Bool) throws(AdministrationFault) {
    let result: Result<Void, AdministrationFault> = host.onQueue { host in
      Result { () throws(AdministrationFault) in try host.turnServices(on: on) }
    }
    try result.get()
  }

  /// Cuts off a client with too many waiting deliveries; it reconnects and gets them again.
  func cutOff(_ client: ClientID) {
    guard let number = connections.first(where: { $0.value.client == client })?.key else {
      return cutBusCallers { $0.client == client }
    }
    cut(
      number,
      because: "\(HeldOutputs.most.ofClient) deliveries wait until the state can be stored")
  }

  func answer(
    _ number: Int, _ parameters: JSON, error: String? = nil, continues: Bool = false
  ) {
    handle(.reply(LinkReply(parameters, error: error, continues: continues)), of: number)
  }

  // MARK: Status and authorization

  func status(places: Bool, readsStore: Bool = true) -> DaemonStatus {
    let facts = facts
    var status = host.onQueue { $0.status(facts, places: places, readsStore: readsStore) }
    status.programs = trust.programs.statuses
    status.refusedReload = owner.refusedReload
    status.clients = connections.sorted { $0.key < $1.key }.map { _, connection in
      let peer = connection.peer
      var client = ClientStatus(
        program: peer.executable, pid: peer.pid, user: peer.user, since: connection.since)
      client.app = connection.app?.name
      if let id = connection.client {
        client.services = host.onQueue { $0.services(of: id) }
      }
      return client
    }
    status.clients += busClientStatuses
    status.geoclue = geoclue.status
    status.gpsd = gpsd.status
    status.uplink = uplink.status
    return status
  }

  /// Decides after the app's manifest was read, and then answers.
  private func decide(
    _ app: AppIdentity, _ choice: AuthorizationChoice, for number: Int
  ) {
    let program = host.onQueue { StateKeeper.program(of: app, in: $0.storedEntries) }
    readManifest(ofExecutable: program, for: number) { server, manifest in
      do throws(AdministrationFault) {
        if choice.level != AuthorizationLevel.reset, let fault = server.facts.refusal(of: app) {
          throw fault
        }
        var decision = try server.decide(app, choice, declaring: manifest)
        decision.explanations += [server.facts.namesOwnUser(app)].compactMap(\.self)
        server.answer(number, decision.json)
      } catch {
        server.refuse(error, to: number)
      }
    }
  }

  private func refuse(_ fault: AdministrationFault, to number: Int) {
    let refusal = AccessRefusal(reason: fault.reason, next: fault.next)
    answer(number, refusal.json, error: "\(AdministrationInterface.name).Refused")
  }

  private func decide(
    _ app: AppIdentity, _ choice: AuthorizationChoice, declaring manifest: Manifest?
  ) throws(AdministrationFault) -> AuthorizationDecision {
    let result: Result<AuthorizationDecision, AdministrationFault> = host.onQueue { host in
      Result { () throws(AdministrationFault) in
        try host.decide(app, choice, declaring: manifest)
      }
    }
    let decision = try result.get()
    var record = LogRecord(
      .authorization,
      "\(app) may know: \(decision.after.level); may be a beacon: \(decision.after.beacon)",
      at: HostClock.now.unixTime)
    record.app = app.name
    journal.write(record)
    return decision
  }

  // MARK: The owner's monitor

  /// Returns the owner as a client of the engine, which may know everything unless the owner has decided otherwise.
  func ownerClient() -> ClientID {
    if let client = owner.client {
      host.onQueue { $0.allowUndecidedOwner() }
      return client
    }
    let description = ClientDescription(
      app: .owner, manifest: Manifest([:], file: "the command table of locationctl"))
    let client = host.onQueue { host in
      let (client, _) = host.add(description) { [weak self] delivery in
        self?.onQueue { $0.receive(delivery) }
      }
      host.allowUndecidedOwner()
      host.take(.monitor(OwnerSession.subscriber, .open(name: OwnerSession.monitor)), from: client)
      return client
    }
    owner.client = client
    return client
  }

  private func ask(_ request: MonitorRequest) {
    let client = ownerClient()
    host.onQueue { $0.take(.monitor(OwnerSession.subscriber, request), from: client) }
  }

  /// Positions of all polygons of the owner together, so that a list of them stays readable (chosen).
  package static let mostPositions = 20_000

  private func monitor(
    _ identifier: String, _ target: ConditionTarget, for number: Int
  ) throws(AdministrationFault) {
    guard target.isSupported else {
      throw AdministrationFault(reason: "this is no circle on earth")
    }
    if case .polygon(let outline) = target {
      let others = host.onQueue { $0.ownersPositions(except: identifier) }
      guard others + outline.positions <= Self.mostPositions else {
        throw AdministrationFault(
          reason:
            "your polygons would have more than \(Self.mostPositions) positions together",
          next: "remove one, or draw them with fewer")
      }
    }
    // What the owner may know is known once there is a client of the engine.
    _ = ownerClient()
    if let fault = host.onQueue({ $0.faultOfOwners(identifier, target) }) { throw fault }
    ask(.add(identifier: identifier, target, assuming: .unknown))
    answer(number, .object([]))
  }

  private func remove(_ identifier: String) throws(AdministrationFault) {
    let isThere = host.onQueue { $0.ownersCondition(identifier) != nil }
    guard isThere else {
      throw AdministrationFault(reason: "you monitor nothing named \(identifier)")
    }
    ask(.remove(identifier: identifier))
  }

  private func followEvents(_ number: Int) {
    guard !owner.eventFollowers.contains(number) else { return }
    owner.eventFollowers.append(number)
    if owner.eventFollowers.count == 1 { ask(.next(after: .none)) }
  }

  private func receive(_ delivery: Delivery) {
    guard !passLocations(in: delivery) else { return }
    guard case .monitor(_, .event(let number, let event)) = delivery else { return }
    // Not now: the engine is in the middle of a step.
    queue.async { [weak self] in self?.onQueue { $0.pass(event, number) } }
  }

  private func pass(_ event: ConditionEvent, _ number: EventNumber) {
    guard !owner.eventFollowers.isEmpty else { return ask(.leave) }
    let kind = host.onQueue { $0.ownersCondition(event.identifier)?.kind }
    let status = ConditionStatus(
      app: AppIdentity.owner.name, monitor: OwnerSession.monitor, identifier: event.identifier,
      kind: kind ?? "circle", state: event.state.rawValue, date: event.date)
    for number in owner.eventFollowers {
      answer(number, .fields(["event": status.json]), continues: true)
    }
    ask(owner.eventFollowers.isEmpty ? .leave : .next(after: number))
  }

  /// Removes a connection that has ended from the followers.
  func forgetOwner(_ number: Int) {
    owner.logFollowers[number] = nil
    owner.useFollowers.removeAll { $0 == number }
    leaveStatus(number)
    leaveLocations(number)
    if owner.simulation.leave(number) { restoreSources() }
    guard owner.eventFollowers.contains(number) else { return }
    owner.eventFollowers.removeAll { $0 == number }
    if owner.eventFollowers.isEmpty { ask(.leave) }
  }

  // MARK: The log

  func note(_ text: String, about connection: LinkConnection, isFault: Bool = false) {
    note(text, about: connection.peer, as: connection.app, isFault: isFault)
  }

  /// Logs what concerns a process; a fault unless it says otherwise.
  func note(
    _ text: String, about peer: Peer, as app: AppIdentity? = nil, isFault: Bool = true
  ) {
    var record = LogRecord(.client, text, at: HostClock.now.unixTime, isFault: isFault)
    record.app = app?.name
    record.pid = peer.pid
    journal.write(record, from: LogCaller(user: peer.user, program: peer.executable))
  }

  private func readLog(_ query: AdministrationRequest.LogQuery, of number: Int) {
    for record in journal.last(query.last, where: { query.wants($0.category) }) {
      answer(number, .fields(["record": record.json]), continues: true)
    }
    if query.follow { owner.logFollowers[number] = query } else { answer(number, .object([])) }
  }

  private func sendToFollowers(_ record: LogRecord) {
    for (number, query) in owner.logFollowers.sorted(by: { $0.key < $1.key })
    where query.wants(record.category) {
      var delivered = record
      if !query.places { (delivered.place, delivered.name) = (nil, nil) }
      answer(number, .fields(["record": delivered.json]), continues: true)
    }
  }

  /// Logs what a step has decided. Outputs that come with every fix are logged only while a
  /// connection follows them, and are never kept.
  private func observe(_ output: ServiceCore.Output) {
    guard case .engine(let output) = output else { return }
    switch output {
    case .deliver(let client, let delivery):
      guard let event = DeliveredEvent(delivery, at: host.now.unixTime), let app = app(of: client)
      else { return }
      var record = LogRecord(
        .condition, "\(app): \(LogRecord.text(of: event))", at: host.now.unixTime)
      record.app = app.name
      journal.write(record, naming: event.identifier, from: LogCaller(app: app.name))
    case .ignored(let fix, let provider, let reason):
      guard owner.logFollowers.values.contains(where: { $0.wants(.fix) }) else { return }
      sendToFollowers(
        LogRecord(ignored: fix, from: source(provider), reason, at: host.now.unixTime))
    case .demand(let demand):
      journal.write(.demand, "needed: \(DemandStatus(demand).words)", from: .demand)
    case .launch(let app):
      journal.write(
        .condition, "an event waits for \(app), which does not run", from: LogCaller(app: app.name))
    case .note(.provider(let provider, let status)):
      journal.write(LogRecord(status, of: source(provider), at: host.now.unixTime))
      measureLevel()
    case .usage(let app, let begins):
      journal.write(
        .authorization, "\(app) \(begins ? "uses the location" : "no longer uses the location")",
        from: LogCaller(app: app.name))
    case .indicator(let app, let shown):
      journal.write(
        .authorization,
        "\(app) \(shown ? "uses" : "no longer uses") the location in the background",
        from: LogCaller(app: app.name))
    case .wakeApp(let app): wake(app)
    case .runtimeOver(let app):
      stepSleep(.runtimeOver(app))
      journal.write(
        .condition, "the time that \(app) had for an event is over",
        from: LogCaller(app: app.name))
    case .persist, .prompt, .withdraw, .calibration, .note: return
    }
  }

  private func source(_ provider: ProviderID) -> String {
    let reports = host.onQueue { $0.core.sourceReports }
    return reports.indices.contains(provider.index)
      ? reports[provider.index].source.loggedURL : "a source"
  }

  private func app(of client: ClientID) -> AppIdentity? {
    if client == owner.client { return .owner }
    return connections.values.first { $0.client == client }?.app
      ?? geoclue.callers.values.first { $0.client == client }?.app
  }

  // MARK: Stored data

  /// Sends one reply for each value, and a last one after them.
  private func list(_ values: [some JSONCodable], as name: String, to number: Int) {
    for value in values {
      answer(number, .object([JSON.Member(name, value.json)]), continues: true)
    }
    answer(number, .object([]))
  }

  private func rekey(_ key: String?) throws(AdministrationFault) -> Int {
    let result: Result<Int, AdministrationFault> = host.onQueue { host in
      Result { () throws(AdministrationFault) in try host.rekey(key) }
    }
    let rows = try result.get()
    journal.write(.store, "the state is sealed with new keys")
    return rows
  }

  private func erase(_ app: String?, of number: Int) throws(AdministrationFault) {
    try facts.checkConfiguration()
    let result: Result<Int, AdministrationFault> = host.onQueue { host in
      Result { () throws(AdministrationFault) in try host.erase(app) }
    }
    // After the answer, also where that is a refusal.
    defer { if host.onQueue({ $0.keeper?.isErased ?? true }) { facts.startOver() } }
    answer(number, .fields(["entries": .integer(Int64(try result.get()))]))
  }
}
