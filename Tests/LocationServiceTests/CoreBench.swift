import LocationService
import LocationEngine
import LocationModel
import LocationProviders
import TestSupport
import Testing

/// A host's core with one authorized app, and a test in the place of the operating system.
struct CoreBench {
  private(set) var bench: Bench<ServiceCore>
  private static let app = AppIdentity("an.app")
  private static let client = ClientID(1)
  private static let manager = SubscriberID(1)

  init(_ urls: String..., stored: [StateEntry] = []) throws {
    let core = ServiceCore(sources: try urls.map { try Source(url: $0) })
    bench = Bench(core) { Self.line($0) }
    let manifest = Manifest([Manifest.Key.whenInUse: .string("to test")])
    engine(.stored(stored))
    engine(
      .client(Self.client, .connected(ClientDescription(app: Self.app, manifest: manifest))))
    engine(.setting(.authorization(Self.app, .whileUsing)))
    engine(.setting(.beacon(Self.app, .allowed)))
  }

  mutating func start(_ options: UpdateOptions = UpdateOptions()) { request(.start(options)) }
  mutating func stop() { request(.stop) }

  private mutating func request(_ request: UpdatesRequest) {
    engine(.client(Self.client, .request(.updates(Self.manager, request))))
  }

  mutating func range(_ request: RangingRequest) {
    engine(.client(Self.client, .request(.ranging(Self.manager, request))))
  }

  mutating func head(_ request: HeadingRequest) {
    engine(.client(Self.client, .request(.heading(Self.manager, request))))
  }

  mutating func advertise(_ request: AdvertisingRequest) {
    engine(.client(Self.client, .request(.advertising(Self.manager, request))))
  }

  /// The calls on the bus so far.
  var calls: [(number: Int, member: String)] {
    bench.outputs.compactMap { entry in
      guard case .bus(_, .call(let number, let call)) = entry.output else { return nil }
      return (number, call.member)
    }
  }

  var subscriptions: [BusMatch] {
    bench.outputs.compactMap { entry in
      guard case .bus(_, .subscribe(let match)) = entry.output else { return nil }
      return match
    }
  }

  /// What was to be kept so far.
  var persisted: [StateEntry] {
    bench.outputs.compactMap { entry in
      guard case .engine(.persist(.set(let key, let value))) = entry.output else { return nil }
      return StateEntry(key: key, value: value)
    }
  }

  /// The positions that the app received.
  var fixes: [Fix] {
    bench.outputs.flatMap { entry -> [Fix] in
      guard case .engine(.deliver(_, .updates(_, .fixes(let fixes)))) = entry.output else {
        return []
      }
      return fixes
    }
  }

  var headings: [Heading] {
    bench.outputs.compactMap { entry in
      guard case .engine(.deliver(_, .heading(_, .heading(let heading)))) = entry.output else {
        return nil
      }
      return heading
    }
  }

  mutating func engine(_ input: LocationEngine.Input) { bench.send(.engine(input)) }

  mutating func run(seconds: Double) { bench.run(for: .seconds(seconds)) }

  /// Something happens to the channel that was opened last.
  mutating func channel(_ event: ChannelEvent) throws {
    bench.send(.channel(try #require(lastOpened), event))
  }

  /// The opening that was asked for last.
  var lastOpened: ChannelID? {
    bench.outputs.reversed().lazy.compactMap { entry -> ChannelID? in
      guard case .open(let id, _) = entry.output else { return nil }
      return id
    }.first
  }

  mutating func send(_ event: ChannelEvent, to id: ChannelID) { bench.send(.channel(id, event)) }

  var transcript: String { bench.transcript }
  var statuses: [ProviderStatus] { bench.machine.sourceReports.map(\.status) }
  var report: SourceReport? { bench.machine.sourceReports.first }

  private static func line(_ output: ServiceCore.Output) -> String? {
    switch output {
    case .open(let id, let channel): "open \(id.provider.index).\(id.opening) \(channel)"
    case .close(let id): "close \(id.provider.index).\(id.opening)"
    case .send(_, let bytes): "send \(String(decoding: bytes.dropLast(), as: UTF8.self))"
    case .bus(_, .call(_, let call)): "call \(call.member)"
    case .bus(_, .subscribe), .bus(_, .unsubscribe), .bus(_, .export), .bus(_, .withdraw),
      .bus(_, .emit):
      nil
    case .read(_, .survey): "survey"
    case .read(_, .files(let paths)): "read \(paths.count) files"
    case .engine(.deliver(_, .updates(_, .fixes(let fixes)))):
      "fix \(fixes.map { "\($0.coordinate.latitude)" }.joined(separator: " "))"
    case .engine(.deliver(_, .updates(_, .failed(let failure)))): "failed \(failure)"
    case .engine(.deliver(_, .heading(_, .heading(let heading)))):
      "heading \(heading.magneticHeading)"
    case .engine(.deliver(_, .ranging(_, .failed(_, let failure)))): "ranging \(failure)"
    case .engine(.deliver(_, .advertising(_, let state))): "\(state)"
    case .engine(.ignored(let fix, _, let reason)): "ignored \(fix.coordinate.latitude) \(reason)"
    case .engine: nil
    }
  }
}
