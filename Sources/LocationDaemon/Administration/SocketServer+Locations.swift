import Dispatch
import LocationCoding
import LocationEngine
import LocationHost
import LocationModel

// Locations for the owner, who receives them as an app does (ADMIN-10).
extension SocketServer {
  func followLocations(
    _ number: Int, _ options: UpdateOptions?, isOnce: Bool
  ) throws(AdministrationFault) {
    guard !owner.locationFollowers.values.contains(number) else { return }
    let client = ownerClient()
    guard host.onQueue({ $0.levelOfOwner != .never }) else { throw .ownerDenied }
    let subscriber = owner.newSubscriber()
    owner.locationFollowers[subscriber] = number
    let request: Request =
      if let options {
        .updates(subscriber, isOnce ? .once(options) : .start(options))
      } else { .live(subscriber, .start(LiveOptions())) }
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
    let own = owner.locationFollowers.filter { $0.value == number }.keys.sorted()
    guard let client = owner.client else { return }
    for subscriber in own {
      owner.locationFollowers[subscriber] = nil
      host.onQueue { $0.take(.end(subscriber), from: client) }
    }
  }
}
