import CLinux
import Dispatch
import Glibc
import LocationCoding
import LocationHost
import LocationLink
import LocationModel
import LocationProviders

/// Connections whose process is not identified yet.
struct Arrivals {
  var coordinator = ArrivalCoordinator(owner: getuid())
  var room: ClientRoom
  /// Connections until they are identified, or turned away.
  var pending: [Int: Pending] = [:]
  var armed: Instant?

  /// Closes waiting connections; an identification that has begun closes its descriptor itself.
  func closeWaiting() {
    for (number, pending) in pending where !coordinator.isLookedAt(number) {
      pending.origin.close()
    }
  }

  /// How a client reaches the daemon.
  enum Origin: Sendable {
    /// A connection to the socket, by its descriptor.
    case socket(Int32)
    /// A connection to the bus of the system.
    case bus(BusCaller)

    func close() {
      switch self {
      case .socket(let descriptor): Glibc.close(descriptor)
      case .bus(let caller): Glibc.close(caller.process)
      }
    }
  }

  struct Pending {
    var origin: Origin
    var payer: Payer
    var isTurnedAway = false
  }
}

/// What finds the files of a program.
private struct ProgramFiles: Sendable {
  let manifests: ManifestReader
  let packages: InstalledPackages
  let signed: SignedPrograms
  let flatpaks: [String]

  init(_ server: isolated SocketServer) {
    (manifests, packages, signed, flatpaks) =
      (server.manifests, server.packages, server.signed, server.facts.flatpaks)
  }
}

/// The result of identifying a new client.
private struct Acquaintance: Sendable {
  var peer: Result<Peer, Peer.Fault>
  var declared: ManifestReader.Reading
  /// Processor time, not clock time: waiting costs nothing.
  var cost: Duration
}

// How a connection becomes a client: first the bounds are checked, then the client is identified
// outside the queue.
extension SocketServer {
  func welcome(_ origin: Arrivals.Origin, of payer: Payer) {
    let begin = host.now.uptime
    shares.charge(Self.admission, to: payer, at: begin)
    defer { charge(payer, since: begin) }
    if case .socket(let descriptor) = origin, linux_name_senders(descriptor) != 0 {
      return refuse(origin, payer, "the kernel does not name senders")
    }
    let refusal =
      refusal(of: payer) ?? arrivals.room.refusal(of: payer, isOwner: isOwner(payer))
    if let refusal {
      return refuse(origin, payer, refusal)
    }
    let number = nextConnection
    nextConnection += 1
    arrivals.room.enter(payer)
    arrivals.pending[number] = Arrivals.Pending(origin: origin, payer: payer)
    settleArrivals(.came(number, payer))
  }

  /// Returns why there is no room. New connections are counted separately, because some clients may
  /// leave before the new ones are identified.
  private func refusal(of payer: Payer) -> String? {
    room.refusal(of: payer, isOwner: isOwner(payer))
  }

  private func isOwner(_ payer: Payer) -> Bool { payer.user == 0 || payer.user == getuid() }

  /// The charge to a program for each connection, beside the time that it takes: two thousand at
  /// once, then two hundred a second. Chosen.
  private static let admission = RateLimiter.credit / 2000

  private func refuse(_ origin: Arrivals.Origin, _ payer: Payer, _ reason: String) {
    send(reason, to: origin, of: payer)
    origin.close()
  }

  private func send(_ reason: String, to origin: Arrivals.Origin, of payer: Payer) {
    fine(payer)
    journal.write(
      .client, "refused a client: \(reason)", isFault: true, from: LogCaller(payer))
    switch origin {
    case .socket(let descriptor): answer(reason, to: descriptor)
    case .bus(let caller): stepGeoClue(.unknown(caller.name, reason: reason))
    }
  }

  /// Closes a connection of a program that has used up its share, after sending when it is served
  /// again. Writes no line to the log, because the program may reconnect at once.
  func turnAway(_ descriptor: Int32, for wait: Duration) {
    let seconds = (wait.wholeNanoseconds + 999_999_999) / 1_000_000_000
    answer(
      "this program has used up its share of the daemon's time; it is served again in \(seconds) s",
      to: descriptor)
    close(descriptor)
  }

  private func answer(_ reason: String, to descriptor: Int32) {
    let reply = LinkReply(
      .fields(["reason": .string(reason)]), error: "\(LinkInterface.name).Refused")
    _ = frame(reply.json).withUnsafeBytes {
      Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
    }
  }

  // MARK: Identification

  private func settleArrivals(_ input: ArrivalCoordinator.Input) {
    for output in arrivals.coordinator.handle(input, at: host.now) {
      switch output {
      case .look(let number): look(number)
      case .turnAway(let number, let reason): turnAway(number, reason)
      }
    }
    guard let next = arrivals.coordinator.nextDeadline, arrivals.armed.map({ next < $0 }) ?? true
    else {
      return
    }
    arrivals.armed = next
    enter(at: next) {
      $0.arrivals.armed = nil
      $0.settleArrivals(.wake)
    }
  }

  /// Identifies a client on a thread of its own, which a file system may block for any time.
  private func look(_ number: Int) {
    guard let pending = arrivals.pending[number] else { return }
    let (origin, files) = (pending.origin, ProgramFiles(self))
    DispatchQueue(label: "meridian.arrival").async { [weak self] in
      let found = Acquaintance(of: origin, files)
      guard let server = self else { return origin.close() }
      server.queue.async { server.onQueue { $0.meet(number, found) } }
    }
  }

  private func meet(_ number: Int, _ found: Acquaintance) {
    defer { settleArrivals(.known(number)) }
    guard let pending = arrivals.pending.removeValue(forKey: number) else { return }
    shares.charge(found.cost, to: pending.payer, at: host.now.uptime, pacing: .program)
    guard !pending.isTurnedAway else { return pending.origin.close() }
    arrivals.room.leave(pending.payer, subscribers: 0)
    do throws(Peer.Fault) {
      let peer = try found.peer.get()
      if let refusal = refusal(of: pending.payer) { throw Peer.Fault(description: refusal) }
      room.enter(pending.payer)
      switch pending.origin {
      case .socket(let descriptor):
        connections[number] = LinkConnection(
          descriptor, of: peer, payer: pending.payer, declared: found.declared,
          limits: limits.session, on: queue
        ) { [weak self] in
          self?.onQueue { $0.attend(number) }
        }
      case .bus(let caller):
        pending.origin.close()
        admit(caller, number, as: peer, payer: pending.payer, declared: found.declared)
      }
    } catch {
      refuse(pending.origin, pending.payer, error.description)
    }
  }

  /// Turns a client away; its descriptor is closed later if its identification still uses it.
  private func turnAway(_ number: Int, _ reason: String) {
    guard let pending = arrivals.pending[number] else { return }
    arrivals.room.leave(pending.payer, subscribers: 0)
    send(reason, to: pending.origin, of: pending.payer)
    if case .socket(let descriptor) = pending.origin { shutdown(descriptor, Int32(SHUT_RDWR)) }
    if arrivals.coordinator.isLookedAt(number) {
      arrivals.pending[number]?.isTurnedAway = true
    } else {
      arrivals.pending[number] = nil
      pending.origin.close()
    }
  }

  // MARK: For the owner

  /// Reads a program's manifest outside the queue, and continues with it on the queue; until then
  /// the connection that asked is not read.
  func readManifest(
    ofExecutable path: String?, for number: Int,
    _ body: @escaping @Sendable (isolated SocketServer, Manifest?) -> Void
  ) {
    guard let path, let connection = connections[number] else { return body(self, nil) }
    connection.pause()
    let manifests = manifests
    DispatchQueue(label: "meridian.manifest").async { [weak self] in
      let reading = manifests.read(ofExecutable: path)
      guard let server = self else { return }
      server.queue.async {
        server.onQueue {
          guard $0.connections[number] != nil else { return }
          body($0, reading.manifest)
          $0.goOn(number)
        }
      }
    }
  }
}

extension Acquaintance {
  init(of origin: Arrivals.Origin, _ files: ProgramFiles) {
    let begin = ProcessorTime.ofThread
    do throws(Peer.Fault) {
      var found =
        switch origin {
        case .socket(let descriptor): try Peer(of: descriptor, flatpaks: files.flatpaks)
        case .bus(let caller): try Peer(of: caller, flatpaks: files.flatpaks)
        }
      declared = files.manifests.read(ofExecutable: found.executable)
      if let identifier = declared.manifest.identifier, found.sandbox == nil {
        found.package =
          files.packages.package(of: found.executable)
          ?? files.signed.publisher(
            of: found.executable, declaring: identifier, user: found.user)
      }
      found.protect(declared.manifest)
      found.lookAtDescent()
      peer = .success(found)
    } catch {
      peer = .failure(error)
      declared = ManifestReader.Reading(manifest: Manifest(), fault: nil)
    }
    cost = ProcessorTime.ofThread - begin
  }
}

/// What work costs that runs beside the queue.
enum ProcessorTime {
  /// The processor time that this thread has used.
  static var ofThread: Duration {
    var time = timespec()
    clock_gettime(clockid_t(CLOCK_THREAD_CPUTIME_ID), &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
