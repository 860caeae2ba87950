import LocationModel

// The calls of an identified program.
extension GeoClueService {
  mutating func carryOut(_ question: BusQuestion, at now: Moment) -> [Output] {
    let call = question.call
    guard let place = GeoClue.Place(call.path), let subject = subject(at: place) else {
      return [.answer(question.number, .missing("Object does not exist at path “\(call.path)”"))]
    }
    if call.interface == GeoClue.introspectable, call.member == "Introspect" {
      return [.answer(question.number, .values([.string(place.introspection)]))]
    }
    guard subject.owner == nil || subject.owner == question.sender else {
      // GeoClue says nothing of the properties, rather than that they are another's.
      let isSurvey = call.interface == GeoClue.properties && call.member == "GetAll"
      return [
        .answer(question.number, isSurvey ? .values([.properties([:])]) : .denied())
      ]
    }
    if call.interface == GeoClue.properties { return handleProperties(question, subject) }
    if call.interface == subject.interface { return handle(question, at: place, at: now) }
    return [.answer(question.number, .missing("No such interface “\(call.interface)”"))]
  }

  /// An object that exists.
  private struct Subject {
    var interface: String
    var properties: BusValue
    /// The only connection that may use it; `nil` for all.
    var owner: String?
  }

  private func subject(at place: GeoClue.Place) -> Subject? {
    switch place {
    case .root: return Subject(interface: "", properties: .properties([:]))
    case .manager: return Subject(interface: GeoClue.manager, properties: managerProperties)
    case .client(let number):
      return clients[number].map {
        Subject(interface: GeoClue.client, properties: $0.properties, owner: $0.owner)
      }
    case .location(let client, let number):
      guard let client = clients[client], let fix = client.locations.fix(number) else { return nil }
      return Subject(
        interface: GeoClue.location, properties: fix.geoClueProperties, owner: client.owner)
    }
  }

  // MARK: Properties

  private mutating func handleProperties(
    _ question: BusQuestion, _ subject: Subject
  ) -> [Output] {
    let (call, number) = (question.call, question.number)
    guard call[0]?.text == subject.interface || call.member == "GetAll" && call[0]?.text == ""
    else {
      return [.answer(number, .invalid("No such interface “\(call[0]?.text ?? "")”"))]
    }
    switch (call.member, call.arguments.map(\.signature)) {
    case ("GetAll", ["s"]): return [.answer(number, .values([subject.properties]))]
    case ("Get", ["s", "s"]):
      guard let value = subject.properties[call[1]?.text ?? ""] else { return [unknown(question)] }
      return [.answer(number, .values([.variant(value)]))]
    case ("Set", ["s", "s", "v"]):
      guard let name = call[1]?.text, let value = call[2]?.content,
        subject.properties[name] != nil
      else { return [unknown(question)] }
      return set(name, to: value, question)
    default: return [.answer(number, .missing("No such method “\(call.member)”"))]
    }
  }

  private func unknown(_ question: BusQuestion) -> Output {
    .answer(question.number, .invalid("No such property “\(question.call[1]?.text ?? "")”"))
  }

  private mutating func set(
    _ name: String, to value: BusValue, _ question: BusQuestion
  ) -> [Output] {
    guard case .client(let number) = GeoClue.Place(question.call.path),
      let isNew = clients[number]?.set(name, to: value), let client = clients[number]
    else {
      return [.answer(question.number, .invalid("“\(name)” cannot be set to this value"))]
    }
    let answer = Output.answer(question.number, .done)
    guard isNew else { return [answer] }
    let entry = BusEntry(key: .string(name), value: .variant(value))
    let signal = Self.changed([entry], GeoClue.client, at: client.path)
    let request: [Output] =
      name == "RequestedAccuracyLevel" && client.isActive
      ? [
        .request(
          client.owner, .updates(client.subscriber, .change(client.options(limit(of: client)))))
      ] : []
    return [answer, .emit(signal, to: client.owner)] + request
  }

  // MARK: Methods

  private mutating func handle(
    _ question: BusQuestion, at place: GeoClue.Place, at now: Moment
  ) -> [Output] {
    let call = question.call
    switch (place, call.member, call.arguments.map(\.signature)) {
    case (.manager, "GetClient", []): return open(question, isUsual: true)
    case (.manager, "CreateClient", []): return open(question, isUsual: false)
    case (.manager, "DeleteClient", ["o"]):
      return delete(call[0]?.text ?? "", of: question.sender)
        + [.answer(question.number, .done)]
    // Who may answer for a person is decided elsewhere (docs/decisions/0066).
    case (.manager, "AddAgent", ["s"]): return add(agent: question)
    case (.client(let number), "Start", []): return start(number, question, at: now)
    case (.client(let number), "Stop", []):
      return stop(number) + [.answer(question.number, .done)]
    default:
      return [
        .answer(
          question.number, .missing("No such method “\(call.member)” with these arguments"))
      ]
    }
  }

  /// Makes a client, or returns the usual one of the connection.
  private mutating func open(_ question: BusQuestion, isUsual: Bool) -> [Output] {
    let name = question.sender
    if isUsual, let usual = callers[name]?.usual {
      return [.answer(question.number, .values([.objectPath(GeoClue.path(client: usual))]))]
    }
    if let reason = refusal(of: name) { return [.answer(question.number, .tooMany(reason))] }
    lastClient += 1
    clients[lastClient] = GeoClueClient(number: lastClient, owner: name)
    if isUsual { callers[name]?.usual = lastClient }
    let path = GeoClue.path(client: lastClient)
    return [.subscribers(name, 1), .answer(question.number, .values([.objectPath(path)]))]
  }

  /// Why a connection may have no more clients; `nil` if it may.
  private func refusal(of name: String) -> String? {
    let user = callers[name]?.user
    let own = clients.values.count { $0.owner == name }
    if own >= Self.mostClients { return "this program has \(own) clients already" }
    let ofUser = clients.values.count { callers[$0.owner]?.user == user }
    if ofUser >= Self.mostClientsPerUser { return "its user has \(ofUser) clients already" }
    return clients.count >= Self.mostClientsInAll
      ? "there are \(clients.count) clients already" : nil
  }

  /// Deletes a client, if it is the caller's own; any other path does nothing, as observed.
  private mutating func delete(_ path: String, of name: String) -> [Output] {
    guard case .client(let number) = GeoClue.Place(path), clients[number]?.owner == name else {
      return []
    }
    let outputs = stop(number)
    let ended = clients.removeValue(forKey: number).map {
      [Output.request(name, .end($0.subscriber))]
    }
    if callers[name]?.usual == number { callers[name]?.usual = nil }
    let joined = callers[name]?.state != nil
    let isLast = !clients.values.contains { $0.owner == name }
    if isLast { callers[name]?.state = nil }
    return outputs + (joined ? ended ?? [] : []) + [.subscribers(name, -1)]
      + (isLast && joined ? [.leave(name)] : [])
  }
}
