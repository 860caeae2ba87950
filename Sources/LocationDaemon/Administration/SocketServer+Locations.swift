import Dispatch
import LocationCoding
import LocationEngine
import LocationHost
import LocationModel
import LocationService

// Locations for the owner, who receives them as an app does (ADMIN-10).
extension SocketServer {
  func followLocations(
    _ number: Int, _ options: UpdateOptions?, isOnce: Bool
  ) throws(AdministrationFault) {
    guard !owner.locationFollowers.values.contains(number) else { return }
    let client = ownerClient()
    guard host.onQueue({ $0.core.engine.level(of: .owner) != .never }) else { throw .ownerDenied }
    let subscriber = owner.newSubscriber()
    owner.locationFollowers[subscriber] = number
    let request = Request.locations(subscriber, options, isOnce: isOnce)
    host.onQueue { $0.take(request, from: client) }
  }

  /// Passes on what concerns a follower of locations; `false` where it is something else.
  func passLocations(in delivery: Delivery) -> Bool {
    guard let subscriber = delivery.subscriber, owner.locationFollowers[subscriber] != nil else {
      return false
    }
    let updates = delivery.liveUpdates
    // Not now: the engine is in the middle of a step.
    queue.async { [weak self] in
      self?.onQueue { server in
        guard let number = server.owner.locationFollowers[subscriber] else { return }
        for update in updates {
          server.answer(number, .fields(["update": update.json]), continues: true)
        }
      }
    }
    return true
  }

  func leaveLocations(_ number: Int) {
    let own = owner.locationFollowers.first { $0.value == number }
    guard let client = owner.client, let subscriber = own?.key else { return }
    owner.locationFollowers[subscriber] = nil
    host.onQueue { $0.take(.end(subscriber), from: client) }
  }
}
