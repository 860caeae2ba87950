import CIngress
import LocationFleet
import LocationFleetNATS
import LocationModel

/// What devices want: to be known, and to have their fixes kept.
extension IngressProcess {
  mutating func carry(_ wishes: [DeviceConnections.Wish]) {
    var waiting = wishes[...]
    while let wish = waiting.popFirst() {
      let now = Self.now
      switch wish {
      case .authenticate(let name, let user, let password):
        switch check.glance(user, password) {
        case .known(let account): waiting += enter(name, account, at: now)
        case .unknown: waiting += devices.authenticated(name, nil, at: now)
        case .unclear:
          if !visitors.add(.device(name), user, password) { devices.close(name, .surplus) }
        }
      case .greet(let name, let account): waiting += enter(name, account, at: now)
      case .publish(let name, let message, let topic, let payload, let account):
        guard !devices.putBehind(wish, of: name) else { continue }
        let outcome = ingress.take(topic: topic, payload, of: account, at: now.unixTime)
        let (device, fixes) = ingress.charge
        switch limits.admit(fixes, of: device, at: now.uptime, waiting: Self.longestHold) {
        case .passes: waiting += settle(outcome, name, message, at: now)
        case .later(let date, let limit):
          // Nobody is slowed by waiting where nothing more is read.
          guard devices.isOpen(name), !isEnding else {
            waiting += settle(outcome, name, message, at: now)
            continue
          }
          ingress.figures.limited(device.tenant, limit, isRefused: false)
          devices.hold(name, message, outcome, at: now)
          slowed.add(name, at: date)
        case .refused(let limit, _):
          ingress.refuse(limit)
          waiting += devices.handle(name, .failed(message, .rate), at: now)
        }
      }
    }
  }

  private mutating func settle(
    _ outcome: Ingress.Outcome, _ name: DeviceConnections.Name, _ message: Int, at now: Moment
  ) -> [DeviceConnections.Wish] {
    switch outcome {
    case .append(let entries):
      guard !append(entries, .device(name, message), at: now.uptime) else { return [] }
      return devices.handle(name, .failed(message, .unavailable), at: now)
    case .nothing, .unusable: return devices.handle(name, .kept(message), at: now)
    case .refused(let cause):
      return devices.handle(
        name, .failed(message, cause == .topic ? .topic : .device), at: now)
    }
  }

  /// Lets a device in whose account is known, if its tenant may have one more connection.
  private mutating func enter(
    _ name: DeviceConnections.Name, _ account: DeviceAccount, at now: Moment
  ) -> [DeviceConnections.Wish] {
    guard devices.isOpen(name) else { return [] }
    guard admits(account.tenant) else { return devices.authenticated(name, nil, at: now) }
    guard limits.connect(account.tenant) else {
      ingress.figures.limited(account.tenant, .connections)
      return devices.handle(name, .surplus, at: now)
    }
    return devices.authenticated(name, account, at: now)
  }

  /// Whether a tenant's devices may be let in; says it once where they may not.
  private mutating func admits(_ tenant: String) -> Bool {
    guard case .refused(let isNew) = ingress.admit(tenant) else { return true }
    if isNew {
      let label = FleetAddress.label(of: tenant)
      Log.ingress(
        "devices of tenant \(label) are refused, as it has no key in `tenant-keys`; next: make it with "
          + "`locationfleet tenant-key \(label)`, and copy the file to each computer with workers first",
        isFault: true)
    }
    return false
  }

  /// Lets go on what was held back until then.
  mutating func releaseSlowed(until date: Instant) {
    while let name = slowed.take(at: date) {
      if let held = devices.release(name) { goOn(held) }
    }
  }

  /// Sends on what was held back: it is paid for, also where its connection has ended.
  mutating func goOn(_ held: DeviceConnections.Held) {
    let name = held.name
    carry(settle(held.outcome, name, held.message, at: Self.now))
    carry(held.wishes)
    // Unless one of these has to wait as well.
    if devices.isFlowing(name) { carry(devices.handle(name, .slowed(false), at: Self.now)) }
  }

  /// - Chosen (FLEET-111): who sends a request is known before anything of its body is read.
  mutating func runWeb() {
    for request in web?.run() ?? [] {
      if let fault = isEnding ? .unavailable : request.fault {
        web?.reply(request, fault)
        continue
      }
      switch request.certified {
      case .device(let account):
        take(request, of: account, isCertified: true)
        continue
      case .wrong:
        web?.reply(request, .unauthorized)
        continue
      case .none: break
      }
      guard let (user, password) = request.credentials else {
        web?.reply(request, .unauthorized)
        continue
      }
      switch check.glance(user, password) {
      case .known(let account): take(request, of: account)
      case .unknown: web?.reply(request, .unauthorized)
      case .unclear:
        if !visitors.add(.web(request), user, password) { web?.reply(request, .unavailable) }
      }
    }
  }

  private mutating func take(
    _ request: WebRequests.Request, of account: DeviceAccount, isCertified: Bool = false
  ) {
    // Whose it is, is asked again when it is whole: it may be another's connection, and another account, by then.
    guard request.isWhole else {
      web?.goOn(request)
      return
    }
    if request.asksForFigures {
      // A device is not for the whole tenant.
      guard account.device == nil else {
        web?.reply(
          request, .refused, because: "only an account with * as its device may ask for figures\n")
        return
      }
      web?.reply(request, text: ingress.figures.text(of: account.tenant))
      return
    }
    guard admits(account.tenant) else {
      web?.reply(request, .refused, because: Ingress.Refusal.key.text)
      return
    }
    let parameters = request.parameters.filter { $0.name != "user" && $0.name != "password" }
    // What OwnTracks says of itself; a certificate has no user.
    guard isCertified || request.header("X-Limit-U").map({ $0 == account.user }) ?? true else {
      web?.reply(request, .refused, because: "X-Limit-U names another user\n")
      return
    }
    guard awaited.count < Self.mostAwaited else {
      web?.reply(request, .unavailable)
      return
    }
    let now = Self.now
    let outcome = ingress.take(
      query: parameters, body: request.body, claim: request.header("X-Limit-D"), of: account,
      at: now.unixTime)
    let (device, fixes) = ingress.charge
    if case .refused(let limit, let after) = limits.admit(
      fixes, of: device, at: now.uptime, waiting: .zero)
    {
      ingress.refuse(limit)
      web?.reply(request, .tooMany, after: after, for: limit)
      return
    }
    switch outcome {
    case .append(let entries):
      if !append(entries, .web(request), at: Self.now.uptime) { web?.reply(request, .unavailable) }
    case .nothing: web?.reply(request, .kept)
    case .unusable: web?.reply(request, .unusable)
    case .refused(let cause): web?.reply(request, .refused, because: cause.text)
    }
  }

  /// Looks at one password, if one may be looked at.
  mutating func verify(at now: Moment) {
    guard check.isFree(at: now.uptime), let (visitor, user, password) = visitors.take() else {
      return
    }
    if case .device(let name) = visitor, !devices.isOpen(name) { return }
    var account: DeviceAccount?
    if case .known(let known) = check.glance(user, password) {
      account = known
    } else {
      account = check.verify(user, password) { Self.now.uptime }
    }
    switch visitor {
    case .device(let name):
      let now = Self.now
      let wishes =
        if let account { enter(name, account, at: now) } else {
          devices.authenticated(name, nil, at: now)
        }
      carry(wishes)
    case .web(let request):
      if let account { take(request, of: account) } else { web?.reply(request, .unauthorized) }
    }
  }

  /// Sends messages to the streams; returns whether that was possible.
  private mutating func append(
    _ entries: [IngressEntry], _ origin: Origin, at now: Instant
  ) -> Bool {
    var numbers: [UInt64] = []
    do throws(BrokerFault) {
      for entry in entries { numbers.append(try writer.send(entry)) }
    } catch {
      ingress.figures.failed += 1
      return false
    }
    awaited.add(numbers, of: origin, at: now)
    return true
  }
}
