import LocationModel

// From the start of a client to its positions.
extension GeoClueService {
  mutating func start(_ number: Int, _ question: BusQuestion, at now: Moment) -> [Output] {
    guard let client = clients[number] else { return [] }
    let name = client.owner
    switch client.activity {
    case .active, .barred: return [.answer(question.number, .done)]
    case .deciding(let questions, let asking, let until):
      guard questions.count < Self.mostStarts else {
        let reason = "\(questions.count) calls of Start of this client wait already"
        return [.answer(question.number, .tooMany(reason))]
      }
      if let full = fullUser(of: name) { return [.answer(question.number, .tooMany(full))] }
      clients[number]?.activity = .deciding(
        questions: questions + [question.number], asking: asking, until: until)
      return []
    case .stopped: break
    }
    guard !client.desktopID.isEmpty else {
      return [.answer(question.number, .denied("'DesktopId' property must be set"))]
    }
    if let full = fullUser(of: name) { return [.answer(question.number, .tooMany(full))] }
    clients[number]?.activity = .deciding(
      questions: [question.number], asking: .notYet, until: now.uptime + Self.answerTimeout)
    clients[number]?.isFresh = true
    guard callers[name]?.state == nil else { return decide(number) }
    guard callers[name]?.isJoining == false else { return [] }
    callers[name]?.isJoining = true
    return [.join(name, desktopID: client.desktopID)]
  }

  /// Why no further `Start` of a connection may wait, if the calls of its user leave no room.
  private func fullUser(of name: String) -> String? {
    let user = callers[name]?.user
    let waiting = clients.values.reduce(0) { sum, client in
      guard case .deciding(let questions, _, _) = client.activity,
        callers[client.owner]?.user == user
      else { return sum }
      return sum + questions.count
    }
    return waiting >= Self.mostStartsPerUser
      ? "\(waiting) calls of Start of its user wait already" : nil
  }

  mutating func stop(_ number: Int) -> [Output] {
    guard let client = clients[number], client.activity != .stopped else { return [] }
    clients[number]?.activity = .stopped
    let stop = Output.request(client.owner, .updates(client.subscriber, .stop))
    switch client.activity {
    case .stopped: return []
    case .deciding(let questions, _, _):
      return questions.map { .answer($0, .error(Self.cancelled, "it was stopped")) }
    case .active: return [stop, activeChanged(client, to: false)]
    case .barred: return [stop]
    }
  }

  private static let cancelled = "org.freedesktop.DBus.Error.Failed"

  private func activeChanged(_ client: GeoClueClient, to isActive: Bool) -> Output {
    let entry = BusEntry(key: .string("Active"), value: .variant(.boolean(isActive)))
    return .emit(Self.changed([entry], GeoClue.client, at: client.path), to: client.owner)
  }

  // MARK: Authorization

  /// The state of a caller's app has changed.
  mutating func settle(_ name: String, _ state: ClientState) -> [Output] {
    guard callers[name] != nil else { return [] }
    callers[name]?.state = state
    callers[name]?.isJoining = false
    return own(name).flatMap { decide($0) }
  }

  /// The request for authorization was handled: from here on it counts whether the person is asked.
  mutating func settleAsked(_ name: String, _ state: ClientState) -> [Output] {
    for number in own(name) {
      guard case .deciding(let questions, .sent, let until) = clients[number]?.activity else {
        continue
      }
      clients[number]?.activity = .deciding(questions: questions, asking: .handled, until: until)
    }
    return settle(name, state)
  }

  /// The clients of a connection, in their order.
  private func own(_ name: String) -> [Int] {
    clients.values.filter { $0.owner == name }.map(\.number).sorted()
  }

  /// Settles a client by what its app may know now.
  mutating func decide(_ number: Int) -> [Output] {
    guard let client = clients[number], let state = callers[client.owner]?.state else { return [] }
    let status = state.authorization.status
    let isOff = limit(of: client) == GeoClueLevel.none
    let isBarred = isOff || !state.servicesEnabled || status == .denied || status == .restricted
    switch client.activity {
    case .stopped: return []
    case .active:
      guard isBarred else { return [] }
      clients[number]?.activity = .barred
      return [activeChanged(client, to: false)]
    case .barred:
      guard !isBarred, status.isGranted else { return [] }
      clients[number]?.isFresh = true
      return activate(number)
    case .deciding(let questions, let asking, let until):
      if isBarred { return refuse(number, isOff ? Self.switchedOff : Self.reason(state)) }
      if status.isGranted { return activate(number) }
      switch asking {
      case .sent: return []
      case .handled: return state.isAsking ? [] : refuse(number, Self.nobody)
      case .notYet:
        clients[number]?.activity = .deciding(questions: questions, asking: .sent, until: until)
        let request = AuthorizationRequest.request(.whenInUse, by: client.subscriber)
        return [.request(client.owner, .authorization(request))]
      }
    }
  }

  /// Answers the calls of `Start`, and has the updates begin.
  private mutating func activate(_ number: Int) -> [Output] {
    guard let client = clients[number] else { return [] }
    clients[number]?.activity = .active
    var outputs: [Output] = []
    if case .deciding(let questions, _, _) = client.activity {
      outputs = questions.map { .answer($0, .done) }
    }
    outputs += [
      activeChanged(client, to: true),
      .request(
        client.owner, .updates(client.subscriber, .start(client.options(limit(of: client))))),
    ]
    return outputs
  }

  private mutating func refuse(_ number: Int, _ reason: String) -> [Output] {
    guard case .deciding(let questions, _, _) = clients[number]?.activity else { return [] }
    clients[number]?.activity = .stopped
    return questions.map { .answer($0, .denied(reason)) }
  }

  /// The engine has not added a caller.
  mutating func refuse(_ name: String, _ reason: String) -> [Output] {
    callers[name]?.isJoining = false
    return own(name).flatMap { refuse($0, "Access denied: \(reason)") }
  }

  /// Nobody can be asked: calls that wait are refused, with the command that decides.
  mutating func refuseUndecided(_ name: String) -> [Output] {
    own(name).flatMap { number -> [Output] in
      switch clients[number]?.activity {
      case .deciding(_, .sent, _), .deciding(_, .handled, _): refuse(number, Self.nobody)
      case .stopped, .deciding(_, .notYet, _), .active, .barred, nil: []
      }
    }
  }

  private static func reason(_ state: ClientState) -> String {
    guard state.servicesEnabled else {
      return "Access denied: location services are off; on again with: sudo locationctl services on"
    }
    return
      "Access denied: this program may not know the location; sudo locationctl apps shows what "
      + "was decided"
  }

  private static let switchedOff =
    "Access denied: location services are off for this user by the desktop's own switch, such as "
    + "Settings, Privacy, Location of GNOME"

  private static let nobody =
    "Access denied: whether this program may know the location is not decided, and nobody can be "
    + "asked now; decide with sudo locationctl authorize"

  // MARK: Positions

  mutating func take(
    _ delivery: UpdatesDelivery, for subscriber: SubscriberID, of name: String, at now: Moment
  ) -> [Output] {
    guard case .fixes(let fixes) = delivery, let fix = fixes.last,
      let number = own(name).first(where: { clients[$0]?.subscriber == subscriber }),
      clients[number]?.isActive == true
    else { return [] }
    guard let change = clients[number]?.take(fix, at: now.uptime), let client = clients[number]
    else { return [] }
    let updated = BusSignal(
      path: client.path, interface: GeoClue.client, member: "LocationUpdated",
      arguments: [.objectPath(change.old), .objectPath(change.new)])
    let entry = BusEntry(key: .string("Location"), value: .variant(.objectPath(change.new)))
    return [
      .emit(updated, to: name),
      .emitLater(Self.changed([entry], GeoClue.client, at: client.path), to: name),
    ]
  }

  // MARK: Time

  /// Answers the calls that have waited for a person long enough, and withdraws old objects.
  mutating func wake(at now: Moment) -> [Output] {
    clients.keys.sorted().flatMap { number -> [Output] in
      clients[number]?.locations.expire(at: now.uptime)
      guard case .deciding(_, _, let until) = clients[number]?.activity, until <= now.uptime
      else { return [] }
      // The question stays: positions follow the answer, and nothing is in use before (`isInUse`).
      return activate(number)
    }
  }
}
