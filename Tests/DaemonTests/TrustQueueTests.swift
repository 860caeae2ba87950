import Dispatch
import Foundation
import LocationHost
import Synchronization
import TestSupport
import Testing

@testable import LocationDaemon

/// What the others notice while a process is looked at.
@Suite("A check of who may answer or administer", .serialized)
struct TrustQueueTests {
  @Test("border 13: that does not end holds back its own connection, and no other")
  func unending() async throws {
    let folder = try TemporaryFolder()
    let socket = folder.file("socket")
    let state = StateFolder(path: folder.file("state"))
    try state.create()
    let host = LocationHost(sources: [], keeper: StateKeeper(folder: state))
    let server = SocketServer(
      try DaemonSocket.listen(at: socket), for: host, journal: DaemonJournal([:]),
      facts: DaemonFacts(folder: state, options: try DaemonOptions([]), variables: [:]))
    let (checked, other) = (try LinkCaller(socket), try LinkCaller(socket))
    // So that a daemon that is held back fails the test.
    var limit = timeval(tv_sec: 10, tv_usec: 0)
    for caller in [checked, other] {
      setsockopt(
        caller.descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }
    let info = "org.varlink.service.GetInfo"
    _ = try checked.call(info)
    let number = try #require(await server.numbers.first)
    _ = try other.call(info)

    let (end, late) = (DispatchSemaphore(value: 0), Late())
    defer { end.signal() }
    // Ends by itself where it holds back everything, this test included.
    let check: @Sendable (TrustCheck, Peer) -> Void = { _, _ in
      if end.wait(timeout: .now() + 10) == .timedOut { late.state.withLock { $0 = true } }
    }
    await server.check(number, check, then: { _, _ in })
    checked.ask(info)
    for _ in 0..<3 { _ = try other.call(info) }
    var byte: UInt8 = 0
    #expect(recv(checked.descriptor, &byte, 1, Int32(MSG_DONTWAIT)) < 0)
    end.signal()
    _ = try checked.reply()
    #expect(!late.state.withLock { $0 }, "the others were held back")
  }
}

/// Whether the check ended by itself.
private final class Late: Sendable {
  let state = Mutex(false)
}

extension SocketServer {
  /// Those of the connections that are served, in the order of their arrival.
  fileprivate var numbers: [Int] { connections.keys.sorted() }
}
