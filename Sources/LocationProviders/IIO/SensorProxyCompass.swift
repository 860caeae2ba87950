package import LocationModel

/// The compass of iio-sensor-proxy, which compensates tilt by itself.
///
/// It reports whole degrees of magnetic heading and nothing else: no field, no accuracy. So it is
/// the second choice after ``IIOCompass``.
package struct SensorProxyCompass: Machine {
  package enum Input: MachineInput {
    case start
    case stop
    case bus(BusEvent)
    case wake
  }

  package enum Output: Hashable, Sendable {
    case bus(BusAction)
    case observation(HeadingSample)
    /// Whether there is a compass has changed, or is known for the first time.
    case availability(SensorProxyAvailability)
    case rejected(SensorProxyRejection)
  }

  private enum State: Sendable {
    case disconnected
    /// The properties were requested, or the service is awaited.
    case asking(call: Int)
    /// There is no compass, or access to it is denied.
    case unusable
    case released
    /// The claim is pending.
    case claiming(call: Int)
    /// Headings come; `reading` is the call for the heading from before the claim.
    case claimed(reading: Int)
  }

  private var state = State.disconnected
  private var isWanted = false
  private var availability: SensorProxyAvailability?
  private var lastCall = 0

  package init() {}

  package var nextDeadline: Instant? { nil }

  package mutating func handle(_ input: Input, at now: Moment) -> [Output] {
    switch input {
    case .start:
      isWanted = true
      return claim()
    case .stop:
      isWanted = false
      return release()
    case .bus(let event):
      return take(event, at: now)
    case .wake:
      return []
    }
  }

  private mutating func take(_ event: BusEvent, at now: Moment) -> [Output] {
    switch event {
    case .connected:
      return Self.matches.map { .bus(.subscribe($0)) } + ask()
    case .disconnected:
      state = .disconnected
      return report(.absent)
    case .reply(let number, let reply):
      return take(reply, to: number, at: now)
    case .signal(let signal):
      if let isPresent = signal.presence(of: Self.service) {
        return isPresent ? ask() : lose()
      }
      guard signal.path == Self.path, let changes = signal.changes(of: Self.interface) else {
        return []
      }
      return take(changes, at: now)
    case .called, .refused:
      return []
    }
  }

  private mutating func take(_ reply: BusReply, to number: Int, at now: Moment) -> [Output] {
    switch (state, reply) {
    case (.asking(let call), .values(let values)) where call == number:
      let hasCompass = values.first?["HasCompass"]?.boolean ?? false
      state = hasCompass ? .released : .unusable
      return report(hasCompass ? .present : .absent) + claim()
    case (.asking(let call), .error(let name)) where call == number:
      return report(name == Self.accessDenied ? .denied : .absent)
    case (.claiming(let call), .values) where call == number:
      state = .claimed(reading: nextCall())
      let get = Self.properties("Get", reply: "v")
        .with(.string(Self.interface), .string("CompassHeading"))
      return [.bus(.call(lastCall, get))]
    case (.claimed(let call), .values(let values)) where call == number:
      return values.first?.content.double.map { observe($0, at: now) } ?? []
    case (.claiming(let call), .error(let name)) where call == number:
      state = .unusable
      return report(name == Self.accessDenied ? .denied : .absent)
    case (.disconnected, _), (.asking, _), (.unusable, _), (.released, _), (.claiming, _),
      (.claimed, _):
      return []
    }
  }

  private mutating func take(_ changes: BusValue, at now: Moment) -> [Output] {
    if let hasCompass = changes["HasCompass"]?.boolean {
      guard hasCompass else {
        state = .unusable
        return report(.absent)
      }
      if case .unusable = state { state = .released }
      return report(.present) + claim()
    }
    guard let heading = changes["CompassHeading"]?.double, case .claimed = state else { return [] }
    return observe(heading, at: now)
  }

  private func observe(_ heading: Double, at now: Moment) -> [Output] {
    guard (0...360).contains(heading) else { return [.rejected(.impossibleHeading(heading))] }
    return [
      .observation(
        HeadingSample(
          magneticHeading: normalizedDegrees(heading), accuracy: HeadingSample.unstatedAccuracy,
          time: now.unixTime))
    ]
  }

  private mutating func ask() -> [Output] {
    state = .asking(call: nextCall())
    let ask = Self.properties("GetAll", reply: "a{sv}").with(.string(Self.interface))
    return [.bus(.call(lastCall, ask))]
  }

  private mutating func claim() -> [Output] {
    guard isWanted, case .released = state else { return [] }
    state = .claiming(call: nextCall())
    return [.bus(.call(lastCall, Self.call("ClaimCompass")))]
  }

  private mutating func release() -> [Output] {
    switch state {
    case .claiming, .claimed:
      state = .released
      return [.bus(.call(nextCall(), Self.call("ReleaseCompass")))]
    case .disconnected, .asking, .unusable, .released:
      return []
    }
  }

  private mutating func lose() -> [Output] {
    state = .unusable
    return report(.absent)
  }

  private mutating func report(_ new: SensorProxyAvailability) -> [Output] {
    guard new != availability else { return [] }
    availability = new
    return [.availability(new)]
  }

  private mutating func nextCall() -> Int {
    lastCall += 1
    return lastCall
  }

  private static func call(_ member: String) -> BusCall {
    BusCall(service, path: path, interface: interface, member: member)
  }

  private static func properties(_ member: String, reply: String) -> BusCall {
    BusCall(
      service, path: path, interface: "org.freedesktop.DBus.Properties", member: member,
      reply: reply)
  }

  private static let service = "net.hadess.SensorProxy"
  private static let path = "/net/hadess/SensorProxy/Compass"
  private static let interface = "net.hadess.SensorProxy.Compass"
  private static let accessDenied = "org.freedesktop.DBus.Error.AccessDenied"
  private static let matches: [BusMatch] = [
    .owner(of: service), .propertiesChanged(of: service),
  ]
}

/// Whether iio-sensor-proxy has a compass that this program may use.
package enum SensorProxyAvailability: Hashable, Sendable {
  case present
  /// No proxy, or none with a compass.
  case absent
  /// The bus policy permits only GeoClue; a drop-in for this user is missing (linux.md 3.6).
  case denied
}

/// Why a value of the proxy did not result in a heading.
package enum SensorProxyRejection: Hashable, Sendable {
  /// Degrees. The scale of some drivers is lost: 15540 for 155.4 (linux.md).
  case impossibleHeading(Double)
}
