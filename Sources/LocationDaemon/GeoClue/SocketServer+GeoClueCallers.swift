import CLinux
import Glibc
import LocationEngine
import LocationHost
import LocationLink
import LocationModel
import LocationProviders
import LocationService

// The programs that ask GeoClue, as clients of the engine: the same identification, bounds, shares, and
// permission as for clients of the socket.
extension SocketServer {
  /// Finds out whose process a connection to the bus is. That it goes is followed first, so that the
  /// name cannot be gone unnoticed.
  func identify(_ name: String) {
    geoclue.callers[name] = GeoClueState.Caller()
    guard let bus = geoclue.bus else { return }
    bus.carryOut(.subscribe(.owner(of: name)))
    bus.inquire(about: name) { [weak self] credentials in
      self?.onQueue { $0.meet(name, credentials) }
    }
  }

  private func meet(_ name: String, _ credentials: BusCredentials?) {
    guard let credentials else {
      return stepGeoClue(.unknown(name, reason: "the bus does not say whose connection it is"))
    }
    let process = credentials.process ?? linux_open_process(credentials.pid)
    guard process >= 0 else {
      return stepGeoClue(.unknown(name, reason: "process \(credentials.pid) has ended"))
    }
    guard geoclue.callers[name] != nil else {
      close(process)
      return
    }
    let caller = BusCaller(
      name: name, pid: credentials.pid, user: credentials.user, process: process)
    welcome(.bus(caller), of: Payer(process: credentials.pid, of: credentials.user))
  }

  /// Admits an identified program; its place in the room is taken already.
  func admit(
    _ caller: BusCaller, _ number: Int, as peer: Peer, payer: Payer,
    declared: ManifestReader.Reading
  ) {
    guard var known = geoclue.callers[caller.name] else {
      return room.leave(payer, subscribers: 0)
    }
    (known.number, known.peer, known.payer, known.declared) = (number, peer, payer, declared)
    geoclue.callers[caller.name] = known
    stepGeoClue(.known(caller.name, user: payer.user))
  }

  /// Forgets a program, with everything that it has.
  func forget(_ name: String) {
    leaveEngine(name)
    geoclue.bus?.dropQuestions(of: name)
    geoclue.bus?.carryOut(.unsubscribe(.owner(of: name)))
    guard let caller = geoclue.callers.removeValue(forKey: name) else { return }
    if let payer = caller.payer { room.leave(payer, subscribers: caller.subscribers) }
  }

  /// Removes the programs for which `isMeant`, such as those whose app is another's now; their objects
  /// are gone, and they may make new ones.
  func cutBusCallers(where isMeant: (GeoClueState.Caller) -> Bool) {
    for name in geoclue.callers.filter({ isMeant($0.value) }).keys.sorted() {
      stepGeoClue(.gone(name))
    }
  }

  func settle(_ name: String, subscribers change: Int) {
    guard let payer = geoclue.callers[name]?.payer else { return }
    geoclue.callers[name]?.subscribers += change
    guard let fault = room.settle(payer, subscribers: change) else { return }
    if let peer = geoclue.callers[name]?.peer {
      note("cut off \(peer.executable): \(fault)", about: peer)
    }
    fine(payer)
    stepGeoClue(.gone(name))
  }

  // MARK: The engine

  /// Adds a program to the engine, as a client of the socket is.
  func join(_ name: String, calledBy desktopID: String) {
    guard let caller = geoclue.callers[name], let peer = caller.peer else { return }
    var description = describe(peer, caller.declared)
    if description.manifest.whenInUseUsage == nil {
      description.manifest.whenInUseUsage = Self.usage(desktopID, of: peer)
    }
    let fault = noteServed(peer, as: description.app) ?? roomFault(for: description.app, of: peer)
    if let fault { return stepGeoClue(.refused(name, reason: fault)) }
    let (client, state) = host.onQueue { host in
      host.add(description) { [weak self] delivery in
        self?.onQueue { $0.deliver(delivery, toBus: name) }
      }
    }
    geoclue.callers[name]?.client = client
    geoclue.callers[name]?.app = description.app
    trust.noteServed(peer.executable, of: peer.user)
    if freezing?.follow(peer.pid, as: caller.number) == true {
      host.onQueue { $0.freeze(client, true) }
    }
    note("\(description.app) asks GeoClue", about: peer, as: description.app, isFault: false)
    stepGeoClue(.state(name, state))
  }

  /// The text of a question to a person. What a program calls itself proves nothing, so it stands
  /// beside whether an installed desktop entry starts this very program.
  private static func usage(_ desktopID: String, of peer: Peer) -> String {
    // Plain quotes, as what asks the person shows any other ones by their numbers.
    let name = "\"\(desktopID.escapedForDisplay(limit: 64))\""
    let entries = DesktopPrograms(["XDG_DATA_DIRS": "/usr/local/share:/usr/share"])
    let isItsOwn = entries.program(of: desktopID) == peer.executable
    return "It asks GeoClue, gives no reason, and calls itself \(name)"
      + (isItsOwn
        ? ", as its desktop entry does." : ", which no desktop entry of this computer confirms.")
  }

  func leaveEngine(_ name: String) {
    guard let caller = geoclue.callers[name], let client = caller.client else { return }
    geoclue.callers[name]?.client = nil
    geoclue.callers[name]?.app = nil
    freezing?.leave(caller.number)
    if let peer = caller.peer, let app = caller.app {
      note("\(app) asks GeoClue no longer", about: peer, as: app, isFault: false)
    }
    // Not now: the engine may be in the middle of a step.
    host.enter { $0.remove(client) }
    noteEnd(of: caller.app)
  }

  private func deliver(_ delivery: Delivery, toBus name: String) {
    switch delivery {
    case .state(let state): stepGeoClue(.state(name, state))
    case .updates(let subscriber, let delivery):
      stepGeoClue(.updates(name, subscriber, delivery))
    default: break
    }
  }

  /// Sends a request to the engine, after the step that may be running.
  func send(_ request: Request, of name: String) {
    guard let client = geoclue.callers[name]?.client else { return }
    let payer = geoclue.payer
    enter { server in
      guard server.geoclue.callers[name]?.client == client else { return }
      let begin = server.host.now.uptime
      defer { if let payer { server.charge(payer, since: begin) } }
      let app = server.geoclue.callers[name]?.app
      let (state, isUnasked) = server.host.onQueue { host in
        host.take(request, from: client)
        return (host.core.engine.state(of: client), app.map { host.isUnanswered($0) } ?? false)
      }
      guard case .authorization = request else { return }
      server.stepGeoClue(isUnasked ? .unasked(name) : .asked(name, state))
    }
  }

  /// Tells the programs of an app that nobody can be asked about it.
  func noteUnasked(_ app: AppIdentity) {
    for name in geoclue.callers.filter({ $0.value.app == app }).keys.sorted() {
      stepGeoClue(.unasked(name))
    }
  }

  // MARK: For the owner

  /// The client of a connection to the bus, by the connection's number.
  func busClient(_ number: Int) -> ClientID? {
    geoclue.callers.values.first { $0.number == number }?.client
  }

  var busClientStatuses: [ClientStatus] {
    geoclue.callers.values.sorted { $0.number < $1.number }.compactMap { caller in
      guard let peer = caller.peer else { return nil }
      var status = ClientStatus(
        program: peer.executable, pid: peer.pid, user: peer.user, since: caller.since)
      status.app = caller.app?.name
      if let id = caller.client { status.services = host.onQueue { $0.services(of: id) } }
      return status
    }
  }
}
