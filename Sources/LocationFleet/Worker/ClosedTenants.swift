/// Tenants of a partition whose devices cannot be opened for want of a key, and what is to be done then.
///
/// - Chosen (FLEET-82): the partition is left as it is, and says which key is missing, unless they are to be
///   forgotten: then what is stored of them does not matter. So a key that was destroyed, or lost, does not
///   keep a tenant from being erased, nor the others from going on.
struct ClosedTenants {
  /// By tenant why, and the newest input up to which such devices are stored.
  private var found: [ExactName: (fault: BrokerFault, position: UInt64)] = [:]

  mutating func add(_ one: (tenant: String, fault: BrokerFault), at position: UInt64) {
    let name = ExactName(one.tenant)
    let known = found[name]
    found[name] = (known?.fault ?? one.fault, max(known?.position ?? 0, position))
  }

  /// Returns by tenant the input that asks for its devices to be forgotten: of those that were found, and of
  /// those without their key of whom nothing is stored yet, as nothing can be.
  func requests(
    in partition: Int, after position: UInt64, _ keys: StateKeys, _ broker: inout some FleetBroker
  ) throws(BrokerFault) -> [ExactName: UInt64] {
    guard !found.isEmpty || keys.areElsewhere else { return [:] }
    var asked: [ExactName: UInt64] = [:]
    try ControlMessage.forEach(in: partition, after: position, &broker) { control, input in
      guard case .eraseTenant(let tenant) = control else { return }
      let name = ExactName(tenant)
      if input > found[name]?.position ?? 0 { asked[name] = input }
    }
    var requests: [ExactName: UInt64] = [:]
    for (name, input) in asked.sorted(by: { $0.key < $1.key }) {
      if found[name] == nil { guard try keys.lacks(name.text, &broker) else { continue } }
      requests[name] = input
    }
    let kept = found.filter { requests[$0.key] == nil }
    if let first = kept.min(by: { $0.key < $1.key }) { throw first.value.fault }
    return requests
  }
}

extension ControlMessage {
  /// Reads what concerns a whole partition, in its order, from behind an input to the end.
  static func forEach(
    in partition: Int, after position: UInt64, _ broker: inout some FleetBroker,
    _ body: (ControlMessage, UInt64) -> Void
  ) throws(BrokerFault) {
    let log = FleetLog.fixes(partition)
    let end = try broker.last(of: log, key: nil)
    var from = max(position + 1, end.first)
    while from <= end.last {
      let batch = try broker.find(
        FleetAddress.control(of: partition), in: log, from...end.last)
      // What lies behind the end of the batch comes again.
      for message in batch.messages where message.sequence < batch.end {
        if let control = ControlMessage(message.entry.bytes) { body(control, message.sequence) }
      }
      from = batch.end
    }
  }
}
