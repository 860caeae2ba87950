import CLinux
import Dispatch
import Glibc
import LocationEngine
import LocationHost
import LocationLink
import LocationModel
package import LocationProviders
import LocationService

// gpsd's port on the loopback. What becomes of a request is decided by `GpsdServer`; whether the programs
// there may know the location, by the engine, of which all of them together are one app, since TCP does
// not say who they are.
extension SocketServer {
  /// Begins to serve gpsd's programs at a port, from the receivers of NMEA among the sources.
  nonisolated package func serveGpsd(at port: UInt16, of sources: [Source]) {
    enter { $0.beginGpsd(at: port, of: sources) }
  }

  private func beginGpsd(at port: UInt16, of sources: [Source]) {
    let receivers = sources.enumerated().compactMap { index, source in
      source.gpsdPath.map { (index, $0) }
    }
    gpsd.number = port
    gpsd.sources = receivers.map(\.0)
    gpsd.machine = GpsdServer(receivers: receivers.map(\.1))
    let (sockets, fault) = Opening.loopbackListeners(at: port)
    guard fault == 0, !sockets.isEmpty else {
      for socket in sockets { close(socket) }
      let reason = Self.reason(of: fault, at: port)
      gpsd.fault = (reason, fault == EADDRINUSE)
      return journal.write(.service, "does not serve gpsd's programs: \(reason)", isFault: true)
    }
    host.onQueue { host in
      host.received = { [weak self] provider, event in
        self?.onQueue { $0.noteReceived(event, from: provider) }
      }
    }
    joinGpsd()
    for socket in sockets {
      let acceptor = DispatchSource.makeReadSource(fileDescriptor: socket, queue: queue)
      acceptor.setEventHandler { [weak self] in self?.onQueue { $0.acceptGpsd(from: socket) } }
      acceptor.setCancelHandler { close(socket) }
      acceptor.activate()
      gpsd.acceptors.append(acceptor)
    }
    journal.write(
      .service,
      "serves gpsd's programs at port \(port) of this computer; it cannot know who they are"
        + (receivers.isEmpty
          ? "; no source is a receiver of NMEA, so there is nothing to serve" : ""))
  }

  /// Why the port cannot be had: whose program has it, as far as the kernel says.
  private static func reason(of fault: Int32, at port: UInt16) -> String {
    guard fault == EADDRINUSE else { return Errno(code: fault, call: "port \(port)").description }
    let owner = PeerOwner.listener(at: port).map { "a program of \($0)" } ?? "another program"
    return "\(owner) listens at port \(port), perhaps gpsd"
  }

  /// Adds the programs to the engine as one app. The configuration has said yes for it; what the owner
  /// decides later counts.
  private func joinGpsd() {
    var manifest = Manifest(file: "the configuration of locationd")
    manifest.whenInUseUsage = "Programs that ask at gpsd's port."
    manifest.alwaysAndWhenInUseUsage = manifest.whenInUseUsage
    let description = ClientDescription(app: .gpsdPrograms, manifest: manifest)
    let (client, state) = host.onQueue { host in
      let (client, state) = host.add(description) { [weak self] delivery in
        guard case .state(let state) = delivery else { return }
        self?.onQueue { $0.settleGpsd(state) }
      }
      if state.authorization.status == .notDetermined {
        host.step(.engine(.setting(.authorization(.gpsdPrograms, .always))))
      }
      return (client, host.core.engine.state(of: client))
    }
    gpsd.client = client
    settleGpsd(state)
  }

  private func settleGpsd(_ state: ClientState) {
    gpsd.state = state
    stepGpsd(.allowed(gpsd.isAllowed))
  }

  private func noteReceived(_ event: ChannelEvent, from provider: ProviderID) {
    guard let index = gpsd.sources.firstIndex(of: provider.index) else { return }
    // A place from outside hides the real one from everybody.
    if host.onQueue({ $0.core.engine.isPlaceSet }) { guard case .closed = event else { return } }
    stepGpsd(.receiver(index, event))
  }

  // MARK: Connections

  private func acceptGpsd(from listener: Int32) {
    // At most so many at once, so that a flood waits.
    for _ in 0..<8 {
      let descriptor = linux_accept(listener)
      guard descriptor >= 0 else { return }
      gpsd.lastConnection += 1
      let number = gpsd.lastConnection
      gpsd.connections[number] = GpsdConnection(descriptor, on: queue) { [weak self] in
        self?.onQueue { $0.readGpsd(number) }
      }
      stepGpsd(.opened(number))
    }
  }

  private func readGpsd(_ number: Int) {
    guard let bytes = gpsd.connections[number]?.read() else { return dropGpsd(number) }
    stepGpsd(.bytes(number, bytes))
  }

  private func dropGpsd(_ number: Int) {
    gpsd.connections.removeValue(forKey: number)?.end()
    stepGpsd(.closed(number))
  }

  /// Closes a connection whose program does not read.
  private func cutGpsd(_ number: Int) {
    guard let connection = gpsd.connections.removeValue(forKey: number) else { return }
    gpsd.closed += 1
    connection.cut()
    stepGpsd(.closed(number))
  }

  private func stepGpsd(_ input: GpsdServer.Input) {
    for output in gpsd.machine.handle(input, at: host.now) {
      switch output {
      case .send(let number, let bytes): sendGpsd(bytes, to: number)
      case .close(let number, _):
        gpsd.closed += 1
        gpsd.connections.removeValue(forKey: number)?.end()
      case .watched(let isWatched): demandGpsd(isWatched)
      }
    }
    armGpsd()
  }

  private func sendGpsd(_ bytes: [UInt8], to number: Int) {
    let isRead = gpsd.connections[number]?.send(bytes) { [weak self] in
      self?.onQueue { $0.gpsd.connections[number]?.flush() }
    }
    // Not now: the machine is in the middle of a step.
    if isRead == false { enter { $0.cutGpsd(number) } }
  }

  /// Has the receivers on while anybody watches.
  private func demandGpsd(_ isWatched: Bool) {
    // Not now: the engine may be in the middle of a step.
    enter { server in
      guard let client = server.gpsd.client else { return }
      server.host.onQueue { host in
        host.take(
          .updates(SubscriberID(1), isWatched ? .start(UpdateOptions()) : .stop), from: client)
      }
    }
  }

  private func armGpsd() {
    guard let due = gpsd.machine.nextDeadline, gpsd.armed.map({ due < $0 }) ?? true else { return }
    gpsd.armed = due
    enter(at: due) { server in
      server.gpsd.armed = nil
      server.stepGpsd(.wake)
    }
  }
}

extension Source {
  /// What gpsd's programs call it; `nil` for what is no receiver of NMEA.
  fileprivate var gpsdPath: String? {
    switch receiver {
    case .nmeaSerial(let path, _), .nmeaUnix(let path): path
    case .nmeaTCP(let host, let port), .nmeaTLS(let host, let port, _): "tcp://\(host):\(port)"
    case .nmeaUDP(let host, let port, _): "udp://\(host ?? ""):\(port)"
    case .gpsd, .localGpsd, .gpx, .log, .fixed, .fixes, .scans, .bluez, .iio, .modem,
      .zone, .geoip, .wifi, .ichnaea, .geosubmit, .resting:
      nil
    }
  }
}
