package import LocationModel
internal import LocationProviders

/// A message that is to be appended to the fixes of a partition.
package struct IngressEntry: Hashable, Sendable {
  package var subject: String
  /// The same for the same fixes of the same device: the stream keeps them once within its window.
  package var identifier: String
  package var bytes: [UInt8]

  package init(subject: String, identifier: String, bytes: [UInt8]) {
    self.subject = subject
    self.identifier = identifier
    self.bytes = bytes
  }
}

/// What is done with what devices send: which messages of the streams it becomes, and what is counted.
package struct Ingress: Sendable {
  package enum Outcome: Hashable, Sendable {
    /// To be appended; what was sent is acknowledged when all of it is kept.
    case append([IngressEntry])
    /// There is no fix in it, and there need not be one.
    case nothing
    /// What is in it is no fix; sending it again would not change that.
    case unusable
    /// It names no device that the account may speak for.
    case refused(Refusal)
  }

  /// Why nothing is taken from an account.
  package enum Refusal: Hashable, Sendable {
    /// Another device than its own.
    case device
    /// No device, by an account that is for several.
    case missing
    /// A device that can have no such name.
    case name
    /// A topic of MQTT at which no fixes are taken.
    case topic
    /// Of a tenant without the key that its devices are to be stored with.
    case key

    /// What is answered, with the end of the line.
    package var text: StaticString {
      switch self {
      case .device: "another device\n"
      case .missing: "the device is missing; name it as id, as device, or in X-Limit-D\n"
      case .name: "the name of a device has 1 to 64 bytes, and no control characters\n"
      case .topic: "no topic of fixes\n"
      case .key: "this tenant is not let in yet; ask who runs the fleet\n"
      }
    }
  }

  /// What is the same for all messages of a device.
  private struct Place {
    var device: ReportingDevice
    var group: String?
    var subject: String
    /// The beginning of its identifiers.
    var identifier: String
  }

  private let partitions: Int
  private let lacksKey: @Sendable (_ tenant: String) -> Bool
  /// Tenants of which it was said that they have no key.
  private var keyless: Set<ExactName> = []
  /// Of the devices that were heard last; made anew for any other.
  private var places: [FleetDeviceName: Place] = [:]
  package var figures = IngressFigures()
  /// Whose the newest message was, and how many fixes count for it: 1 for one without any.
  package private(set) var charge = (name: FleetDeviceName(tenant: "", device: ""), fixes: 1)
  /// How many of them were counted as accepted.
  private var accepted = 0

  /// `lacksKey` says of a tenant whether it has to have a key to be stored with, and has none.
  package init(
    partitions: Int, lacksKey: @escaping @Sendable (_ tenant: String) -> Bool = { _ in false }
  ) {
    (self.partitions, self.lacksKey) = (partitions, lacksKey)
  }

  /// Whether devices of a tenant are let in, and if not, whether that is to be said.
  package enum Admission: Hashable, Sendable {
    case granted
    case refused(isNew: Bool)
  }

  /// Looks whether devices of a tenant may be let in.
  ///
  /// - Chosen (FLEET-158): one fix of a tenant without a key would hold up a partition, with all other tenants in it.
  package mutating func admit(_ tenant: String) -> Admission {
    let name = ExactName(tenant)
    guard lacksKey(tenant) else {
      keyless.remove(name)
      return .granted
    }
    figures.judged.count(tenant, "key")
    // Names of certificates are not bounded.
    if keyless.count >= Self.mostKeyless { keyless = [] }
    return .refused(isNew: keyless.insert(name).inserted)
  }

  /// Takes a message that was published to a topic. `now` is when it came, by the ingress's clock; without that
  /// no fix is of the future.
  package mutating func take(
    topic: String, _ payload: [UInt8], of account: DeviceAccount, at now: UnixTime? = nil
  ) -> Outcome {
    begin(account)
    switch account.topic(topic) {
    case .unknown:
      figures.judged.count(account.tenant, DeviceReport.Reason.topic.rawValue)
      return .refused(.topic)
    case .foreign:
      figures.judged.count(account.tenant, DeviceReport.Reason.device.rawValue)
      return .refused(.device)
    case .other:
      figures.judged.count(account.tenant, DeviceReport.Reason.other.rawValue)
      return .nothing
    case .reports(let name):
      let place = place(of: name, group: account.group)
      let outcome = take(DeviceReport(payload, of: place.device, at: now), place)
      // The topic is its own: the message is counted, and does not come again and again.
      if case .refused = outcome { return .unusable }
      return outcome
    }
  }

  /// Takes what has come by HTTP: the body, or if there is none, the parameters. `claim` is the device
  /// that the request names beside them, as a header of OwnTracks does.
  package mutating func take(
    query: [(name: String, value: String)], body: [UInt8], claim: String?,
    of account: DeviceAccount, at now: UnixTime? = nil
  ) -> Outcome {
    begin(account)
    let isBody = body.contains { $0 > 0x20 }
    let named =
      claim ?? query.first { $0.name == "id" || $0.name == "deviceid" }?.value
      ?? (isBody && account.device == nil ? DeviceReport.claim(body) : nil)
    guard let name = account.name(claiming: named) else {
      figures.judged.count(account.tenant, DeviceReport.Reason.device.rawValue)
      guard let named else { return .refused(.missing) }
      return .refused(FleetLine.isName(named) ? .device : .name)
    }
    let place = place(of: name, group: account.group)
    let report =
      isBody
      ? DeviceReport(body, of: place.device, at: now)
      : DeviceReport(query: query, of: place.device, at: now)
    return take(report, place)
  }

  private mutating func begin(_ account: DeviceAccount) {
    charge = (FleetDeviceName(tenant: account.tenant, device: account.device ?? ""), 1)
    accepted = 0
  }

  /// Counts the newest message as one that was beyond a limit, and not sent on.
  package mutating func refuse(_ limit: SendingLimits.Limit) {
    let tenant = charge.name.tenant
    figures.limited(tenant, limit)
    guard accepted > 0 else { return }
    figures.judged.count(tenant, "accepted", -accepted)
    figures.judged.count(tenant, "rate", accepted)
    accepted = 0
  }

  private mutating func place(of name: FleetDeviceName, group: String?) -> Place {
    if let known = places[name], known.group == group { return known }
    let partition = FleetAddress.partition(of: name, count: partitions)
    let place = Place(
      device: ReportingDevice(name, group: group), group: group,
      subject: FleetAddress.fixes(of: name, partition: partition),
      identifier: "\(FleetAddress.part(name.tenant)).\(FleetAddress.part(name.device)).")
    if places.count >= Self.mostPlaces { places.removeAll() }
    places[name] = place
    return place
  }

  private mutating func take(_ report: DeviceReport, _ place: Place) -> Outcome {
    let name = place.device.name
    charge = (name, max(report.fixes, 1))
    accepted = report.messages.isEmpty ? 0 : report.fixes
    for (reason, count) in report.rejected {
      figures.judged.count(name.tenant, reason.rawValue, count)
    }
    guard !report.messages.isEmpty else {
      guard report.rejected[.device] == nil else { return .refused(.device) }
      return report.rejected.keys.allSatisfy { Self.harmless.contains($0) } ? .nothing : .unusable
    }
    figures.judged.count(name.tenant, "accepted", report.fixes)
    return .append(
      report.messages.map {
        IngressEntry(
          subject: place.subject, identifier: place.identifier + Self.hash($0), bytes: $0)
      })
  }

  /// FNV-1a of 64 bits, in hexadecimal digits; only fixes of one device can have the same.
  private static func hash(_ bytes: [UInt8]) -> String {
    String(FNV1a.hash(bytes), radix: 16)
  }

  private static let mostPlaces = 65_536
  private static let mostKeyless = 1000
  /// What a device that works sends, too. One whose clock or receiver is wrong would keep a fix that was answered
  /// 400, and all others behind it.
  private static let harmless: Set<DeviceReport.Reason> = [
    .other, .noPosition, .clock, .rollover, .future, .range,
  ]
}
