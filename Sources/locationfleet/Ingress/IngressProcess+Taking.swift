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
        case .known(let account):
          waiting += devices.authenticated(name, account, at: now)
        case .unknown: waiting += devices.authenticated(name, nil, at: now)
        case .unclear:
          guard visitors.count < Self.mostVisitors else {
            devices.close(name, .surplus)
            continue
          }
          visitors.append((.device(name), user, password))
        }
      case .publish(let name, let message, let topic, let payload, let account):
        switch ingress.take(topic: topic, payload, of: account) {
        case .append(let entries):
          guard !append(entries, .device(name, message), at: now.uptime) else { continue }
          waiting += devices.handle(name, .failed(message, .unavailable), at: now)
        case .nothing, .unusable: waiting += devices.handle(name, .kept(message), at: now)
        case .refused: waiting += devices.handle(name, .failed(message, .device), at: now)
        }
      }
    }
  }

  mutating func runWeb() {
    for request in web?.run() ?? [] {
      if let fault = isEnding ? .unavailable : request.fault {
        web?.reply(request, fault)
        continue
      }
      guard let (user, password) = request.credentials else {
        web?.reply(request, .unauthorized)
        continue
      }
      switch check.glance(user, password) {
      case .known(let account): take(request, of: account)
      case .unknown: web?.reply(request, .unauthorized)
      case .unclear:
        guard visitors.count < Self.mostVisitors else {
          web?.reply(request, .unavailable)
          continue
        }
        visitors.append((.web(request), user, password))
      }
    }
  }

  private mutating func take(_ request: WebRequests.Request, of account: DeviceAccount) {
    let parameters = request.parameters.filter { $0.name != "user" && $0.name != "password" }
    // What OwnTracks says of itself.
    guard request.header("X-Limit-U").map({ $0 == account.user }) ?? true else {
      web?.reply(request, .refused)
      return
    }
    guard awaited.count < Self.mostAwaited else {
      web?.reply(request, .unavailable)
      return
    }
    switch ingress.take(
      query: parameters, body: request.body, claim: request.header("X-Limit-D"), of: account)
    {
    case .append(let entries):
      if !append(entries, .web(request), at: Self.now.uptime) { web?.reply(request, .unavailable) }
    case .nothing: web?.reply(request, .kept)
    case .unusable: web?.reply(request, .unusable)
    case .refused: web?.reply(request, .refused)
    }
  }

  /// Looks at one password, if one may be looked at.
  mutating func verify(at now: Moment) {
    guard !visitors.isEmpty, check.isFree(at: now.uptime) else { return }
    let (visitor, user, password) = visitors.removeFirst()
    if case .device(let name) = visitor, !devices.isOpen(name) { return }
    var account: DeviceAccount?
    if case .known(let known) = check.glance(user, password) {
      account = known
    } else {
      account = check.verify(user, password) { Self.now.uptime }
    }
    switch visitor {
    case .device(let name): carry(devices.authenticated(name, account, at: Self.now))
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

  private static let mostVisitors = 1000
}
