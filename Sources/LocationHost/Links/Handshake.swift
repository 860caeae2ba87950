import Glibc
import LocationCoding
import LocationLink
import LocationModel

/// The handshake with a daemon: opens a connection and waits for the welcome.
struct Handshake {
  let descriptor: Int32
  let state: ClientState
  /// The bytes received after the welcome.
  let rest: [UInt8]

  /// Why there is no connection.
  struct Fault: Error, Hashable, CustomStringConvertible {
    /// Whether the daemon runs and refuses to serve this app.
    var isRefusal: Bool
    var description: String
  }

  /// Performs the handshake; waits at most a few seconds.
  init(at path: String) throws(Fault) {
    let opened: Int32
    do throws(Errno) { opened = try DaemonSocket.connect(to: path) } catch {
      throw Fault(isRefusal: false, description: error.description)
    }
    do throws(Fault) {
      (state, rest) = try Self.open(opened)
      descriptor = opened
      _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    } catch {
      close(opened)
      throw error
    }
  }

  private static func open(_ descriptor: Int32) throws(Fault) -> (ClientState, [UInt8]) {
    let call = LinkCall(
      "\(LinkInterface.name).Open", .fields(["version": .integer(Int64(LinkInterface.version))]),
      wantsMore: true)
    let message = frame(call.json)
    let sent = message.withUnsafeBytes {
      send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
    }
    // A refused connection may be closed already; the reason can still be read.
    let fault = sent == message.count ? nil : lost(Errno(last: "send"))
    var received: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 4096)
    while true {
      if let end = received.firstIndex(of: 0) {
        return (try welcome(received[..<end]), [UInt8](received[(end + 1)...]))
      }
      guard received.count < SocketLink.longestMessage else {
        throw Fault(isRefusal: true, description: "the daemon's welcome has no end")
      }
      let count = read(descriptor, &piece, piece.count)
      guard count > 0 else {
        if let fault { throw fault }
        throw count == 0
          ? Fault(isRefusal: false, description: "the daemon hung up")
          : lost(Errno(last: "read"))
      }
      received += piece.prefix(count)
    }
  }

  private static func welcome(_ message: ArraySlice<UInt8>) throws(Fault) -> ClientState {
    let reply: LinkReply
    do throws(CodingFault) { reply = try LinkReply(json: JSON(parsing: message)) } catch {
      throw Fault(isRefusal: true, description: "\(error)")
    }
    if reply.error == "\(LinkInterface.name).VersionUnsupported" {
      throw Fault(
        isRefusal: true,
        description: "it speaks no version in common with this program; update the older of the two"
      )
    }
    if let error = reply.error {
      guard case .string(let reason) = reply.parameters["reason"] else {
        throw Fault(isRefusal: true, description: error)
      }
      throw Fault(isRefusal: true, description: reason)
    }
    do throws(CodingFault) {
      return try ClientState(json: reply.parameters["state"] ?? .null)
    } catch {
      throw Fault(isRefusal: true, description: "\(error)")
    }
  }

  private static func lost(_ error: Errno) -> Fault {
    if error.code == EAGAIN {
      return Fault(isRefusal: false, description: "it did not answer within two seconds")
    }
    return Fault(isRefusal: false, description: error.description)
  }
}
