import Dispatch
import Glibc
import LocationCoding
import LocationLink
import LocationModel
import LocationProviders

/// One app's connection to a daemon: reconnects by itself when the daemon is back, and sends again
/// all requests that are still in force.
actor SocketClient: QueueActor {
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  nonisolated let executor = HostQueue(label: "meridian.link")
  private let path: String
  private let noting: @Sendable (String) -> Void
  private let deliver: @Sendable (Delivery) -> Void
  private var replay: SubscriptionReplay
  private var state = State.away(attempts: 0)
  private var lastFault = ""
  /// Whether it was noted that a request could not be sent, since the daemon is away.
  private var hasNotedUnsent = false
  /// Callers that wait until everything is written (LIFE-12).
  private var waiting: [@Sendable () -> Void] = []

  private enum State {
    case connected(DescriptorChannel, FrameSplitter)
    /// The daemon is not there; `attempts` connections have failed since.
    case away(attempts: Int)
    case ended
  }

  /// Milliseconds between two connection attempts: the first value, and the greatest.
  private static let timeout = (first: 50, most: 3200)
  /// Failed attempts after which subscribers are informed that there are no positions: about 3 s.
  private static let attemptsInSilence = 6
  /// Failed attempts after which requests for one location fail: about 13 s.
  private static let attemptsInVain = 9

  init(
    at path: String, _ handshake: Handshake?, noting: @escaping @Sendable (String) -> Void,
    receiving deliver: @escaping @Sendable (Delivery) -> Void
  ) {
    self.path = path
    self.noting = noting
    self.deliver = deliver
    replay = SubscriptionReplay(handshake?.state ?? LocationModel.ClientState())
    queue.async { [weak self] in
      self?.onQueue { client in
        if let handshake { client.take(handshake) } else { client.wait(attempts: 0) }
      }
    }
  }

  isolated deinit {
    if case .connected(let channel, _) = state { channel.end() }
  }

  nonisolated func send(_ request: Request) {
    guard request.outlastsProcess else {
      return queue.async { self.onQueue { $0.ask(request) } }
    }
    let isWritten = executor.postAndWait { written in
      self.onQueue { client in
        client.ask(request)
        client.whenWritten(written)
      }
    }
    if !isWritten { noting(Self.notWritten) }
  }

  /// Calls a function as soon as the daemon's socket has everything, and at once while no daemon
  /// answers, which is noted.
  private func whenWritten(_ written: @escaping @Sendable () -> Void) {
    guard case .connected(let channel, _) = state else {
      if case .away = state { noteUnsent() }
      return written()
    }
    guard !channel.isWritten else { return written() }
    waiting = waiting.suffix(Bounds.waiting) + [written]
  }

  private func settleWaiting() {
    if case .connected(let channel, _) = state, !channel.isWritten { return }
    for written in waiting { written() }
    waiting = []
  }

  /// Notes once, until the daemon is back, that it does not know what the app asks.
  private func noteUnsent() {
    guard !hasNotedUnsent else { return }
    hasNotedUnsent = true
    noting(Self.notWritten)
  }

  private static let notWritten =
    "no location service answers; what the app has just begun or ended reaches it when it is back, "
    + "and is lost if the process ends before"

  nonisolated func end() {
    queue.async {
      self.onQueue { client in
        if case .connected(let channel, _) = client.state { channel.end() }
        client.state = .ended
      }
    }
  }

  // MARK: Requests

  private func ask(_ request: Request) {
    if case .away(let attempts) = state {
      for delivery in replay.loops(endedBy: request) { deliver(delivery) }
      if attempts >= Self.attemptsInSilence, let silence = replay.silence(for: request) {
        deliver(silence)
      }
    }
    replay.note(request)
    write([request])
  }

  private func write(_ requests: [Request]) {
    guard case .connected(let channel, _) = state, !requests.isEmpty else { return }
    let bytes = requests.flatMap { request in
      frame(
        LinkCall(
          "\(LinkInterface.name).Ask", .fields(["request": request.json]), isOneway: true
        ).json)
    }
    channel.write(bytes, on: queue) { [weak self] in
      self?.onQueue { client in
        if case .connected(let channel, _) = client.state { channel.flush() }
        client.settleWaiting()
      }
    }
  }

  // MARK: Receiving

  private func take(_ handshake: Handshake) {
    guard case .away(let attempts) = state else {
      close(handshake.descriptor)
      return
    }
    let descriptor = handshake.descriptor
    do throws(Errno) {
      let channel = try DescriptorChannel(descriptor: descriptor, on: queue) {
        [weak self] event in
        self?.onQueue { $0.receive(event, from: descriptor) }
      }
      state = .connected(channel, FrameSplitter(limit: SocketLink.longestMessage))
      lastFault = ""
      hasNotedUnsent = false
      receive(handshake.rest)
    } catch {
      note("the location service could not be read: \(error)")
      wait(attempts: attempts + 1)
    }
  }

  /// Ignores what an ended connection still delivers: its descriptor is open until then, so that no
  /// other connection has its number.
  private func receive(_ event: ChannelEvent, from descriptor: Int32) {
    guard case .connected(let channel, _) = state, channel.descriptor == descriptor else { return }
    switch event {
    case .bytes(let bytes): receive(bytes)
    case .closed: lose("the location service went away")
    default: break
    }
  }

  private func receive(_ bytes: [UInt8]) {
    guard case .connected(let channel, var frames) = state else { return }
    do throws(CodingFault) {
      let messages = try frames.take(bytes)
      state = .connected(channel, frames)
      for message in messages { receive(try LinkReply(json: JSON(parsing: message))) }
    } catch {
      lose("the location service sent \(error)")
    }
  }

  private func receive(_ reply: LinkReply) {
    if case .string(let reason) = reply.parameters["reason"], reply.error != nil {
      return note("the location service ends the connection: \(reason)")
    }
    // An unknown message is meant for a newer client.
    guard let message = reply.parameters["delivery"], let delivery = try? Delivery(json: message)
    else { return }
    if let delivery = replay.receive(delivery) { deliver(delivery) }
  }

  // MARK: Reconnecting

  private func lose(_ reason: String) {
    guard case .connected(let channel, _) = state else { return }
    channel.end()
    note(reason)
    wait(attempts: 0)
  }

  private func wait(attempts: Int) {
    state = .away(attempts: attempts)
    if attempts == Self.attemptsInSilence { for delivery in replay.silence { deliver(delivery) } }
    if attempts >= Self.attemptsInVain {
      for delivery in replay.giveUpWaiting() { deliver(delivery) }
    }
    let wait = min(Self.timeout.most, Self.timeout.first << min(attempts, 10))
    queue.asyncAfter(deadline: .now() + .milliseconds(wait)) { [weak self] in
      self?.onQueue { $0.tryAgain() }
    }
  }

  private func tryAgain() {
    guard case .away(let attempts) = state else { return }
    do throws(Handshake.Fault) {
      let handshake = try Handshake(at: path)
      deliver(.state(handshake.state))
      deliver(.regions(handshake.state.regions))
      let requests = replay.again(handshake.state)
      take(handshake)
      write(requests)
    } catch {
      if error.isRefusal { note("the location service refuses: \(error)") }
      wait(attempts: attempts + 1)
    }
  }

  /// Reports a fault once, until it changes.
  private func note(_ fault: String) {
    guard fault != lastFault else { return }
    lastFault = fault
    noting(fault)
  }
}
