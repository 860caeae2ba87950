import LocationEngine
package import LocationModel
package import LocationService

/// The order in which the deliveries of one step leave: the apps take turns.
///
/// An app with thousands of managers and loops thus delays the others by a few deliveries, and not
/// by its own thousands (docs/decisions/0055).
package enum DeliveryTurns {
  /// Deliveries to one app before those to others have their turn. Chosen: more than an app has
  /// managers and loops.
  package static let atOnce = 16

  /// Puts outputs into the order in which they are carried out.
  ///
  /// The order of the deliveries to each app stays. Everything else stays where it is, and no
  /// delivery passes it, but changes of what is stored: they are stored before anything leaves.
  ///
  /// - Parameters:
  ///   - outputs: what a step has decided, in its order.
  ///   - app: the app that a client belongs to; `nil` for a client that has gone.
  /// - Returns: the same outputs, and where among them a second turn and those after it begin.
  package static func order(
    _ outputs: [ServiceCore.Output], app: (ClientID) -> AppIdentity?
  ) -> (outputs: [ServiceCore.Output], turns: [Int]) {
    guard outputs.count > atOnce else { return (outputs, []) }
    var ordered: [ServiceCore.Output] = []
    ordered.reserveCapacity(outputs.count)
    var turns: [[ServiceCore.Output]] = []
    var counts: [AppIdentity?: Int] = [:]
    var begins: [Int] = []
    func endRun() {
      for (index, turn) in turns.enumerated() {
        if index > 0 { begins.append(ordered.count) }
        ordered += turn
      }
      (turns, counts) = ([], [:])
    }
    // Most deliveries are to the client of the one before.
    var last: (client: ClientID, app: AppIdentity?)?
    for output in outputs {
      switch output {
      case .engine(.deliver(let client, _)):
        let app = last?.client == client ? last?.app : app(client)
        last = (client, app)
        let count = counts[app, default: 0]
        counts[app] = count + 1
        if count / atOnce == turns.count { turns.append([]) }
        turns[count / atOnce].append(output)
      case .engine(.persist): ordered.append(output)
      default:
        endRun()
        ordered.append(output)
      }
    }
    endRun()
    return (ordered, begins)
  }
}
