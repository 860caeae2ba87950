import Glibc
import LocationHost
import LocationLink
import LocationModel
import LocationProviders
import LocationService

// The name and the objects of GeoClue on the bus of the system (docs/decisions/0101). What becomes of a
// call is decided by `GeoClueService`; who calls, and what the app may know, by the paths that clients
// of the socket take.
extension SocketServer {
  /// Begins to serve the programs that ask GeoClue.
  nonisolated package func serveGeoClue() {
    enter { server in
      server.geoclue.isOn = true
      server.host.onQueue { host in
        host.unanswered = { [weak server] app in server?.onQueue { $0.noteUnasked(app) } }
      }
      server.measureLevel()
      server.stepName(.begin)
    }
  }

  // MARK: The name

  private func stepName(_ input: BusName.Input) {
    for output in geoclue.name.handle(input, at: host.now) {
      switch output {
      case .enter: enterBus()
      case .bus(let action): geoclue.bus?.carryOut(action)
      case .changed(let standing): note(standing)
      }
    }
    armGeoClue()
    serveLater()
  }

  private func note(_ standing: BusName.Standing) {
    switch standing {
    case .owned: journal.write(.service, "serves the programs that ask \(GeoClue.name)")
    case .taken:
      journal.write(
        .service, "\(GeoClueState.taken); this daemon serves once it has gone", isFault: true)
    case .refused(let reason):
      journal.write(.service, "does not have the name \(GeoClue.name): \(reason)", isFault: true)
    }
    settleStart()
  }

  private func enterBus() {
    leaveBus()
    do throws(BusFault) {
      let bus = try connect(to: nil, serving: { $0.serveBus() }) { $0.take($1) }
      geoclue.bus = bus
      try bus.serve(below: GeoClue.root) { [weak self] question in
        self?.onQueue { $0.take(question) }
      }
    } catch {
      leaveBus()
      let reason = Errno(code: error.code, call: "the system bus").description
      return enter { $0.stepName(.closed(reason: reason)) }
    }
    enter { $0.stepName(.bus(.connected)) }
  }

  private func take(_ event: BusEvent) {
    switch event {
    case .signal(let signal) where signal.endedConnection != nil:
      stepGeoClue(.gone(signal.endedConnection ?? ""))
    case .signal(let signal) where signal.sender != nil: take(signal)
    case .reply(let call, let reply) where GeoClueService.isOwn(reply: call):
      step(.reply(call, reply), paidBy: geoclue.service.agent(of: call))
    default: stepName(.bus(event))
    }
  }

  /// Takes a signal of an agent, whose program pays for it like for a call. While that one rests it is not
  /// read, and then the agent is asked once, however many there were, and whoever has used up the user's share.
  private func take(_ signal: BusSignal) {
    guard let name = signal.sender, let payer = geoclue.callers[name]?.payer,
      let end = shares.rest(of: payer, at: host.now.uptime)
    else { return step(.signal(signal), paidBy: signal.sender) }
    guard geoclue.unread.insert(name).inserted else { return }
    enter(at: end) { server in
      server.geoclue.unread.remove(name)
      server.step(.askAgent(name), paidBy: name)
    }
  }

  /// Hands an input to the machine, for which the program of a connection pays, also for what the engine has
  /// to do then.
  private func step(_ input: GeoClueService.Input, paidBy name: String?) {
    guard let payer = name.flatMap({ geoclue.callers[$0]?.payer }) else {
      return stepGeoClue(input)
    }
    let begin = host.now.uptime
    geoclue.payer = payer
    stepGeoClue(input)
    geoclue.payer = nil
    charge(payer, since: begin)
  }

  private func leaveBus() {
    geoclue.bus?.end()
    geoclue.bus = nil
    for name in geoclue.service.names { stepGeoClue(.gone(name)) }
  }

  private func serveBus() {
    guard let bus = geoclue.bus, !bus.process() else { return }
    leaveBus()
    stepName(.bus(.disconnected))
  }

  // MARK: Calls

  /// Takes a call, which its program pays for like a request over the socket.
  private func take(_ question: BusQuestion) {
    guard let payer = geoclue.callers[question.sender]?.payer else {
      return stepGeoClue(.call(question))
    }
    let now = host.now.uptime
    if let end = shares.rest(of: payer, at: now) {
      let seconds = ((end - now).wholeNanoseconds + 999_999_999) / 1_000_000_000
      let text =
        "this program has used up its share of the daemon's time; it is served again in \(seconds) s"
      geoclue.bus?.answer(question.number, .error(Self.limitsExceeded, text))
      return
    }
    step(.call(question), paidBy: question.sender)
  }

  private static let limitsExceeded = "org.freedesktop.DBus.Error.LimitsExceeded"

  /// Notes the level of the sources, after one of them has changed.
  func measureLevel() {
    guard geoclue.isOn else { return }
    // Not now: the engine may be in the middle of a step.
    enter { $0.stepGeoClue(.available($0.availableLevel)) }
  }

  /// The level of the most exact source that is not known to be out.
  private var availableLevel: GeoClueLevel {
    host.onQueue { host in
      host.core.sourceReports.compactMap { report in
        if case .unavailable = report.status { return nil }
        return report.source.geoClueLevel
      }.max() ?? .none
    }
  }

  /// Hands an input to the machine, and carries out its outputs; one input after another.
  func stepGeoClue(_ input: GeoClueService.Input) {
    geoclue.inputs.append(input)
    guard !geoclue.isStepping else { return }
    geoclue.isStepping = true
    while !geoclue.inputs.isEmpty {
      for output in geoclue.service.handle(geoclue.inputs.removeFirst(), at: host.now) {
        carryOut(output)
      }
    }
    geoclue.isStepping = false
    armGeoClue()
  }

  private func carryOut(_ output: GeoClueService.Output) {
    switch output {
    case .answer(let number, let response):
      geoclue.bus?.answer(number, response)
      flush()
    case .emit(let signal, let receiver):
      geoclue.bus?.send(signal, to: receiver)
      flush()
    case .emitLater(let signal, let receiver): emitLater(signal, to: receiver)
    case .identify(let name): identify(name)
    case .forget(let name): forget(name)
    case .join(let name, let desktopID): join(name, calledBy: desktopID)
    case .leave(let name): leaveEngine(name)
    case .subscribers(let name, let change): settle(name, subscribers: change)
    case .request(let name, let request): send(request, of: name)
    case .bus(let action):
      geoclue.bus?.carryOut(action)
      serveLater()
    case .limited(let user, let level): note(level, of: user)
    }
  }

  /// Logs what an agent of GeoClue says of the programs of its user.
  private func note(_ level: GeoClueLevel?, of user: UInt32) {
    let words =
      switch level {
      case nil: "no agent of GeoClue limits how exact a place programs of user \(user) have"
      case .some(.none):
        "programs of user \(user) that ask GeoClue have no place: an agent of GeoClue says so"
      case .country, .city, .neighborhood, .street, .exact:
        "programs of user \(user) that ask GeoClue have the coarse place: an agent of GeoClue says so"
      }
    // Its agents may say another thing each moment.
    let caller = LogCaller(user: user, program: "agents of GeoClue")
    journal.write(.service, words, from: caller)
  }

  /// Emits a signal after this step, which may be one of the engine that reaches others as well.
  private func emitLater(_ signal: BusSignal, to receiver: String) {
    geoclue.later.append((signal, receiver))
    guard geoclue.later.count == 1 else { return }
    enter { server in
      for (signal, receiver) in server.geoclue.later {
        server.geoclue.bus?.send(signal, to: receiver)
      }
      server.geoclue.later = []
      server.flush()
    }
  }

  /// Sends what the bus has no room for yet; mostly nothing.
  private func flush() {
    if geoclue.bus?.isPending ?? false { serveLater() }
  }

  /// Serves the bus after this step, which may be one of the engine.
  private func serveLater() {
    guard !geoclue.isServing else { return }
    geoclue.isServing = true
    enter { server in
      server.geoclue.isServing = false
      server.serveBus()
    }
  }

  /// Wakes the machines when they are due; a wake that comes too early changes nothing.
  private func armGeoClue() {
    guard let due = earliest(geoclue.name.nextDeadline, geoclue.service.nextDeadline),
      geoclue.armed.map({ due < $0 }) ?? true
    else { return }
    geoclue.armed = due
    enter(at: due) { server in
      server.geoclue.armed = nil
      if isDue(server.geoclue.name.nextDeadline, server.host.now) { server.stepName(.wake) }
      server.stepGeoClue(.wake)
    }
  }
}

extension Source {
  /// The greatest level of the positions that it gives; `nil` for a source of none.
  var geoClueLevel: GeoClueLevel? {
    switch (receiver, tier) {
    case (.fixed, _), (.modem, _), (_, .satellite), (_, .navigation): .exact
    case (.zone, _): .country
    case (_, .network): .street
    case (_, .cell), (_, nil): nil
    }
  }
}
