import Glibc
import LocationCoding
package import LocationLink

/// The connection of a program that answers for a person; reads block.
package struct AgentConnection: ~Copyable {
  private let descriptor: Int32
  private var frames = FrameSplitter(limit: SocketLink.longestMessage)

  /// What the daemon has sent.
  package enum Arrival: Sendable {
    case event(AgentEvent)
    /// What became of an answer, in the order in which the answers were sent: whether it counts.
    /// If the question was withdrawn before, it does not.
    case answered(Bool)
  }

  /// Why there is no connection.
  package struct Fault: Error, Hashable, CustomStringConvertible {
    package var description: String
    /// Why the daemon does not let this program answer, and what a person can do about it.
    package var refusal: AccessRefusal?
  }

  /// Connects to the daemon at a path and attends as an agent; `shower` is the process whose notifications
  /// the person sees, where the agent asks by those.
  package init(at path: String, shownBy shower: Int32? = nil) throws(Fault) {
    do throws(Errno) { descriptor = try DaemonSocket.connect(to: path) } catch {
      throw Fault(description: error.description)
    }
    var forEver = timeval()
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &forEver, socklen_t(MemoryLayout<timeval>.size))
    let parameters = JSON.fields(["shownBy": shower?.json])
    send(LinkCall("\(AgentInterface.name).Attend", parameters, wantsMore: true))
  }

  deinit { close(descriptor) }

  /// Waits for the next messages of the daemon.
  ///
  /// - Throws: `Fault` with why no more will come.
  package mutating func next() throws(Fault) -> [Arrival] {
    var piece = [UInt8](repeating: 0, count: 65_536)
    let count = read(descriptor, &piece, piece.count)
    guard count > 0 else { throw Fault(description: "the daemon closed the connection") }
    let replies: [LinkReply]
    do throws(CodingFault) {
      replies = try frames.take(piece.prefix(count)).map { message throws(CodingFault) in
        try LinkReply(json: JSON(parsing: message))
      }
    } catch { throw Fault(description: "the daemon sent \(error)") }
    let gone = "\(AgentInterface.name).NoSuchQuestion"
    if let refusal = replies.first(where: { $0.error != nil && $0.error != gone }) {
      if refusal.error == "\(AgentInterface.name).NotAgent",
        let access = try? AccessRefusal(json: refusal.parameters)
      {
        throw Fault(description: access.reason, refusal: access)
      }
      guard case .string(let reason) = refusal.parameters["reason"] else {
        throw Fault(description: refusal.error ?? "")
      }
      throw Fault(description: reason)
    }
    return replies.compactMap { reply in
      guard reply.continues else { return .answered(reply.error == nil) }
      return AgentEvent(json: reply.parameters).map { .event($0) }
    }
  }

  /// Sends an answer, from any thread while the connection lives.
  package var answering: @Sendable (AgentAnswer) -> Void {
    let descriptor = descriptor
    return { Self.send(LinkCall("\(AgentInterface.name).Answer", $0.json), to: descriptor) }
  }

  /// Ends the connection, from any thread while it lives: `next` throws.
  package var ending: @Sendable () -> Void {
    let descriptor = descriptor
    return { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }
  }

  private func send(_ call: LinkCall) { Self.send(call, to: descriptor) }

  private static func send(_ call: LinkCall, to descriptor: Int32) {
    let message = frame(call.json)
    _ = message.withUnsafeBytes {
      Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
    }
  }
}
