import CoreLocation
import LocationModel
import Synchronization

/// A link whose far side is the test.
final class ScriptedLink: EngineLink {
  private struct State {
    var deliver: (@Sendable (Delivery) -> Void)?
    var requests: [Request] = []
    var replies: [[Delivery]] = []
  }

  private let state = Mutex(State())

  var requests: [Request] { state.withLock { $0.requests } }
  var now: Moment { Moment(uptime: .start, unixTime: UnixTime(seconds: 1_700_000_000)) }

  /// What is delivered while the next requests are sent, a list for each.
  func reply(_ replies: [Delivery]...) {
    state.withLock { $0.replies += replies }
  }

  func deliver(_ delivery: Delivery) {
    state.withLock { $0.deliver }?(delivery)
  }

  func connect(
    _ client: ClientDescription, receiving deliver: @escaping @Sendable (Delivery) -> Void
  ) -> (ClientID, ClientState) {
    state.withLock { $0.deliver = deliver }
    var readable = ClientState()
    readable.equipment = Equipment(hasCompass: true, hasBeaconRadio: true)
    return (ClientID(1), readable)
  }

  func send(_ request: Request, from client: ClientID) {
    let replies = state.withLock { state in
      state.requests.append(request)
      return state.replies.isEmpty ? [] : state.replies.removeFirst()
    }
    for reply in replies { deliver(reply) }
  }

  func disconnect(_ client: ClientID) {}
}
