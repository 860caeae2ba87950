import CLinux
import Dispatch
import Glibc
import LocationHost
import LocationLink
import LocationModel

/// One client of the daemon: its descriptor, its session, and the bytes that it has not read yet.
///
/// Never leaves the queue of the host.
final class LinkConnection {
  let descriptor: Int32
  let peer: Peer
  let payer: Payer
  /// The manifest of its program.
  let declared: ManifestReader.Reading
  /// The time at which it connected.
  let since = HostClock.now.unixTime
  var session: LinkSession
  /// Its number in the engine; `nil` until its first request.
  var client: ClientID?
  var app: AppIdentity?
  /// Whether the owner administers over it, and may receive much at once.
  var isOwners = false
  /// Whether it answers prompts for a person.
  var isAttending = false
  private let queue: DispatchQueue
  private let reader: any DispatchSourceRead
  private var writer: BufferedWriter
  /// Waits until the client has read nearly all.
  private var roomSource: (any DispatchSourceWrite)?
  /// The bytes that wait for the client to read.
  var waiting: Int { writer.count }
  /// Whether it is about to be cut off because too much is unread.
  var givesWay = false
  /// Those that are counted for its user.
  var counted = 0
  /// Bytes received and left for later turns.
  private var unread: ArraySlice<UInt8> = []
  /// Whether a turn to be read is already scheduled.
  var awaitsTurn = false
  /// Whether reading is paused for a while.
  private(set) var isResting = false

  /// What came from a client.
  enum Arrival {
    case nothing
    case bytes([UInt8])
    case ended
    /// Another process has written to the connection: its descriptor was copied (SECURITY.md).
    case foreign(pid: Int32)
  }

  init(
    _ descriptor: Int32, of peer: Peer, payer: Payer, declared: ManifestReader.Reading,
    limits: LinkSession.Limits, on queue: DispatchQueue,
    readable: @escaping @Sendable () -> Void
  ) {
    self.descriptor = descriptor
    writer = BufferedWriter(descriptor)
    self.peer = peer
    self.payer = payer
    self.declared = declared
    self.queue = queue
    session = LinkSession(limits: limits)
    reader = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
    reader.setEventHandler(handler: readable)
    reader.setCancelHandler { close(descriptor) }
    reader.activate()
  }

  /// Reads at most one message, or a piece of one; the rest waits until others had their turn.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> Arrival {
    guard unread.isEmpty else { return .bytes(nextMessage()) }
    var sender: Int32 = 0
    let count = linux_receive(descriptor, buffer.baseAddress, UInt(buffer.count), &sender)
    if count == 0 { return .ended }
    guard count > 0 else {
      return [EAGAIN, EINTR].contains(Int32(-count)) ? .nothing : .ended
    }
    guard sender == peer.pid else { return .foreign(pid: sender) }
    unread = [UInt8](buffer[..<count])[...]
    return .bytes(nextMessage())
  }

  /// Bytes; the kernel doubles it. Chosen: more than most statuses have.
  private static let smallBuffer: Int32 = 16_384

  private var hangUp = HangUp()

  /// Whether the client has hung up, and its place is free.
  func isOver(at now: Instant) -> Bool {
    let isRead = unread.isEmpty && peek() == 0
    var entry = pollfd(fd: descriptor, events: 0, revents: 0)
    let hasHungUp =
      isRead || poll(&entry, 1, 0) > 0 && entry.revents & Int16(POLLHUP) != 0
    return hangUp.isOver(hasHungUp: hasHungUp, isRead: isRead, at: now)
  }

  /// Whether nothing is there to be read; what comes later is noticed.
  var isSilent: Bool {
    unread.isEmpty && peek() < 0 && errno == EAGAIN
  }

  /// What a read of one byte would return, which stays to be read.
  private func peek() -> Int {
    var byte: UInt8 = 0
    return recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
  }

  private func nextMessage() -> [UInt8] {
    let end = unread.firstIndex(of: 0).map { $0 + 1 } ?? unread.endIndex
    defer { unread = unread[end...] }
    return [UInt8](unread[..<end])
  }

  /// Pauses reading until `goOn()` is called.
  func pause() {
    guard !isResting else { return }
    isResting = true
    reader.suspend()
  }

  func goOn() {
    guard isResting else { return }
    isResting = false
    reader.resume()
  }

  /// Whether the other end has not read everything that was sent.
  var hasUnread: Bool { !writer.isEmpty || linux_unread(descriptor) > 0 }

  /// Lets the kernel keep little for the client, so that it has room only once nearly all is read.
  func sendSmall() {
    var bytes = Self.smallBuffer
    setsockopt(
      descriptor, SOL_SOCKET, SO_SNDBUF, &bytes, socklen_t(MemoryLayout<Int32>.size))
  }

  /// Whether the client has read nearly all that was sent; the rest is a quarter of the kernel's buffer
  /// at most.
  var hasRoom: Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    return writer.isEmpty && poll(&entry, 1, 0) > 0 && entry.revents & Int16(POLLOUT) != 0
  }

  /// Calls `ready` once when the client has read nearly all that was sent.
  func awaitRoom(_ ready: @escaping @Sendable () -> Void) {
    let twin = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    guard twin >= 0 else { return }
    let source = DispatchSource.makeWriteSource(fileDescriptor: twin, queue: queue)
    source.setCancelHandler { close(twin) }
    source.setEventHandler {
      source.cancel()
      ready()
    }
    source.activate()
    roomSource = source
  }

  /// Sends now what can be sent, and the rest when there is room; returns `false` if more than the
  /// limit would have to wait.
  func send(
    _ bytes: [UInt8], limit: Int, writable: @escaping @Sendable () -> Void
  ) -> Bool {
    writer.write(bytes, limit: limit, on: queue, writable: writable)
  }

  /// Sends waiting bytes after the socket has room again.
  func flush() { writer.flush() }

  func end() {
    writer.end()
    roomSource?.cancel()
    reader.cancel()
    // A suspended source must not be released.
    goOn()
  }
}
