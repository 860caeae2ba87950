import LocationModel

extension AppDesk {
  /// Begins with what was stored.
  mutating func begin(with stored: [StateEntry], at now: Moment) -> [LocationEngine.Output] {
    restore(stored, at: now).flatMap { carryOut($0, at: now) }
  }

  /// Takes over what another process has stored since.
  mutating func adopt(_ stored: [StateEntry], at now: Moment) -> [LocationEngine.Output] {
    let key = AuthorizationRecord.key(of: app)
    guard let entry = stored.first(where: { $0.key == key }),
      let record = AuthorizationRecord(stored: entry.value), record != authorization.record
    else { return [] }
    return authorize(.stored(record), at: now)
  }

  /// Asks the authorization machine, and carries its answer to everyone it concerns.
  mutating func authorize(
    _ input: Authorization.Input, at now: Moment
  ) -> [LocationEngine.Output] {
    let before = authorization.report
    let openBefore = authorization.openPrompt
    let useBefore = authorization.use
    let outputs = decide(input, at: now).flatMap { carryOut($0, at: now) }
    let moved =
      before != authorization.report || openBefore != authorization.openPrompt
      || useBefore != authorization.use
    guard moved else { return outputs }
    return outputs + tellFlow(at: now)
  }

  private func carryOut(_ output: Authorization.Output, at now: Moment) -> [LocationEngine.Output] {
    switch output {
    case .report(_, let manager):
      let (client, subscriber) = Self.manager(manager)
      return [.deliver(client, .state(state)), .deliver(client, .authorizationChanged(subscriber))]
    case .changed:
      return clients.flatMap { client -> [LocationEngine.Output] in
        [.deliver(client, .state(state)), .deliver(client, .authorizationChanged(nil))]
      }
    case .prompt(let prompt): return [.prompt(prompt)]
    case .withdraw(let prompt): return [.withdraw(prompt)]
    case .completed(.call(let ticket), let refusal):
      let (client, subscriber) = Self.manager(ticket)
      return [.deliver(client, .temporaryFullAccuracy(subscriber, refusal))]
    case .completed(.session, _): return []
    case .release, .drop: return []
    case .explain(let explanation): return [.note(.authorization(app, explanation))]
    case .persist(let change): return [.persist(change)]
    }
  }

  /// A manager's number in the authorization machine: its process and itself in one.
  static func number(of subscriber: SubscriberID, _ client: ClientID) -> Int {
    Int(client.rawValue) << 32 | Int(subscriber.rawValue)
  }

  private static func manager(_ number: Int) -> (ClientID, SubscriberID) {
    (ClientID(UInt64(number >> 32)), SubscriberID(UInt64(number & 0xffff_ffff)))
  }
}
