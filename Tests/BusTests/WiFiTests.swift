import LocationEngine
import LocationHost
import LocationModel
import LocationProviders
import LocationService
import TestSupport
import Testing

@Suite(
  "Wi-Fi scans, asked for over the bus", .serialized,
  .enabled(if: MockMachine.isThere, "needs dbus-daemon, and python-dbusmock in .build/venv"),
  .timeLimit(.minutes(2)))
struct WiFiTests {
  private let machine: MockMachine
  private let kernel: KernelSocket
  private let statuses = Events<ProviderStatus>()

  init() throws {
    machine = try MockMachine()
    kernel = try KernelSocket(KernelWiFi([KernelWiFi.Adapter(3, "wlan0")]))
  }

  private func start() -> LocationHost {
    let host = LocationHost(
      sources: [.wifi()], places: HostPaths(bus: machine.address, netlink: kernel.path)
    ) { [statuses] note in
      if case .provider(_, let status) = note { statuses.add(status) }
    }
    let app = HostOnBus.app
    let (client, _) = host.connect(ClientDescription(app: app, manifest: Manifest())) { _ in }
    host.pass(.setting(.authorization(app, .whileUsing)))
    host.send(.updates(HostOnBus.manager, .start(UpdateOptions())), from: client)
    return host
  }

  private let heard = [AccessPoint("cafe", last: 3), AccessPoint("home", last: 4)]

  private func evidence(of host: LocationHost) -> WiFiEvidence? {
    host.sourceReports().first?.evidence.adapters.first
  }

  private func rejections(of host: LocationHost) -> [String: Int] {
    let all = host.sourceReports().flatMap(\.rejections)
    return Dictionary(all.map { ($0.reason, $0.count) }) { $1 }
  }

  @Test("RADIO-6: NetworkManager is asked for a scan, whose results the kernel gives")
  func networkManager() async throws {
    try machine.perform("network start")
    try machine.perform("network adapter 30")
    let host = start()
    #expect(try machine.perform("await scans 1") == "options: none")
    kernel.scan(3, hears: heard)
    _ = try await statuses.next { $0 == .working }
    let expected = WiFiEvidence(
      name: "wlan0", stations: 2, strongest: -60, control: .networkManager)
    #expect(evidence(of: host) == expected)
  }

  @Test("RADIO-5: a NetworkManager that cannot scan now is asked again")
  func notAllowed() async throws {
    try machine.perform("network start")
    try machine.perform("network adapter 30")
    try machine.perform("network refuse org.freedesktop.NetworkManager.Device.NotAllowed")
    let host = start()
    #expect(try machine.perform("await scans 2") == "options: none")
    #expect(evidence(of: host)?.stations == 0)
  }

  @Test("RADIO-7: without permission the source says so, and hears the scans of others")
  func denied() async throws {
    try machine.perform("network start")
    try machine.perform("network adapter 30")
    try machine.perform("network refuse org.freedesktop.NetworkManager.PermissionDenied")
    let host = start()
    let reason = ProviderStatus.Reason.noPermission("\(ScanObstacle.refused(.networkManager))")
    _ = try await statuses.next { $0 == .unavailable(reason) }
    kernel.scan(3, hears: heard)
    _ = try await statuses.next { $0 == .working }
    #expect(evidence(of: host)?.stations == 2)
  }

  @Test("RADIO-6: wpa_supplicant is asked for a passive scan where NetworkManager manages nothing")
  func supplicant() async throws {
    try machine.perform("network start")
    try machine.perform("network adapter 10")
    try machine.perform("supplicant start")
    let host = start()
    #expect(try machine.perform("await passive scan") == "passive")
    kernel.scan(3, hears: heard)
    _ = try await statuses.next { $0 == .working }
    #expect(evidence(of: host)?.control == .supplicant)
  }

  @Test("RADIO-6: a program that starts later is asked as soon as it is there")
  func later() async throws {
    let host = start()
    let reason = ProviderStatus.Reason.missing("\(ScanObstacle.nobody)")
    _ = try await statuses.next { $0 == .unavailable(reason) }
    try machine.perform("supplicant start")
    #expect(try machine.perform("await passive scan") == "passive")
    withExtendedLifetime(host) {}
  }

  @Test("RADIO-6: a forged change of owners is not believed, and counted")
  func forged() async throws {
    try machine.perform("network start")
    try machine.perform("network adapter 30")
    let host = start()
    try machine.perform("await scans 1")
    try machine.perform("forge loss org.freedesktop.NetworkManager")
    kernel.scan(3, hears: heard)
    _ = try await statuses.next { $0 == .working }
    try machine.perform("forge owner org.freedesktop.NetworkManager")
    kernel.scan(3, hears: [AccessPoint("new", last: 9)])
    try machine.perform("await scans 2")
    #expect(rejections(of: host)[BusRefusal.ownerChange.description] == 2)
    #expect(evidence(of: host)?.obstacle == nil)
  }

  @Test("border 7: who says to be NetworkManager, iwd, or wpa_supplicant is asked for nothing")
  func claimed() async throws {
    let host = start()
    let reason = ProviderStatus.Reason.missing("\(ScanObstacle.nobody)")
    _ = try await statuses.next { $0 == .unavailable(reason) }
    for control in WiFiControl.allCases { try machine.perform("forge claim \(control.service)") }
    // What came before this has arrived by then.
    try machine.perform("supplicant start")
    #expect(try machine.perform("await passive scan") == "passive")
    kernel.scan(3, hears: heard)
    _ = try await statuses.next { $0 == .working }
    #expect(evidence(of: host)?.control == .supplicant)
    let counts = rejections(of: host)
    #expect(counts == [BusRefusal.ownerChange.description: WiFiControl.allCases.count])
  }

  @Test("border 7: forged answers of NetworkManager are refused, and the true one counts")
  func forgedDevices() async throws {
    try machine.perform("network start")
    try machine.perform("network adapter 30")
    try machine.perform("forge devices 64")
    let host = start()
    #expect(try machine.perform("await scans 1") == "options: none")
    kernel.scan(3, hears: heard)
    _ = try await statuses.next { $0 == .working }
    #expect(evidence(of: host)?.control == .networkManager)
    let refused = BusRefusal.reply(of: WiFiControl.networkManager.service).description
    #expect(rejections(of: host)[refused, default: 0] > 0, "\(rejections(of: host))")
  }
}

@Suite("Wi-Fi of this computer")
struct OwnWiFiTests {
  @Test("RADIO-1, RADIO-7: the kernel of this computer answers, and says what it has")
  func kernel() async throws {
    let statuses = Events<ProviderStatus>()
    let host = LocationHost(
      sources: [.wifi()], places: HostPaths(bus: "unix:path=/nonexistent/bus")
    ) { note in
      if case .provider(_, let status) = note, status != .searching { statuses.add(status) }
    }
    let app = HostOnBus.app
    let (client, _) = host.connect(ClientDescription(app: app, manifest: Manifest())) { _ in }
    host.pass(.setting(.authorization(app, .whileUsing)))
    host.send(.updates(HostOnBus.manager, .start(UpdateOptions())), from: client)
    let lacks: [ProviderStatus] = [
      .unavailable(.missing("the kernel has no Wi-Fi (nl80211)")),
      .unavailable(
        .missing("there is no Wi-Fi adapter, or none in the network namespace of this process")),
    ]
    let status = try await statuses.next()
    // With an adapter, what it heard lately, or that nobody can be asked.
    let hasAdapter = host.sourceReports().first?.evidence.adapters.isEmpty == false
    #expect(hasAdapter || lacks.contains(status), "\(status)")
  }
}
