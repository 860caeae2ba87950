import LocationFleet
import LocationModel
import Testing

@Suite("What tenants and devices may send")
struct SendingLimitsTests {
  private static func at(_ seconds: Double) -> Instant { .start + .seconds(1000 + seconds) }

  private static func share(
    tenant: Double = 0, _ tenantBurst: Double = 0, device: Double = 0, _ deviceBurst: Double = 0
  ) -> SendingLimits.Share {
    var share = SendingLimits.Share()
    share.tenant = SendingRate(tenant, burst: tenantBurst)
    share.device = SendingRate(device, burst: deviceBurst)
    return share
  }

  private static func name(_ tenant: String, _ device: Int) -> FleetDeviceName {
    FleetDeviceName(tenant: tenant, device: "d\(device)")
  }

  @Test(
    "FLEET-73: a device has its burst at once, then its rate, message by message, and never more than both"
  )
  func device() {
    var limits = SendingLimits(Self.share(device: 10, 20), connections: 8)
    var sent: [Instant] = []
    var now = Self.at(0)
    // As a connection does: the next message is read when the one before has gone on.
    for _ in 0..<200 {
      switch limits.admit(1, of: Self.name("a", 1), at: now, waiting: .seconds(30)) {
      case .passes: break
      case .later(let date, let limit):
        #expect(limit == .device && date > now)
        now = date
      case .refused: Issue.record("refused")
      }
      sent.append(now)
    }
    #expect(sent[20] == Self.at(0) && sent[21] > Self.at(0))
    // In any second no more than the burst and the rate, one beyond since a message is never cut.
    for (index, date) in sent.enumerated() {
      let end = date + .seconds(1)
      #expect(sent[index...].prefix { $0 < end }.count <= 31)
    }
    #expect(abs(now.seconds(since: Self.at(0)) - 17.9) < 0.001)
    // After a rest it has its burst again.
    let later = now + .seconds(60)
    for _ in 0..<20 {
      let verdict = limits.admit(1, of: Self.name("a", 1), at: later, waiting: .zero)
      #expect(verdict == .passes)
    }
  }

  @Test(
    "FLEET-73: a message of many fixes counts as many; one that would wait too long costs nothing"
  )
  func large() {
    var limits = SendingLimits(Self.share(device: 10, 20), connections: 8)
    let name = Self.name("a", 1)
    #expect(limits.admit(1000, of: name, at: Self.at(0), waiting: .seconds(30)) == .passes)
    for _ in 0..<3 {
      #expect(
        limits.admit(1, of: name, at: Self.at(0), waiting: .seconds(30))
          == .refused(.device, after: .seconds(98)))
    }
    #expect(limits.admit(1, of: name, at: Self.at(98), waiting: .zero) == .passes)
    #expect(limits.admit(1, of: Self.name("a", 2), at: Self.at(0), waiting: .zero) == .passes)
  }

  /// Devices of a tenant that send as fast as they may, each with one message on its way.
  private struct Crowd {
    let tenant: String
    var next: [Instant]
    var passed = 0
    var latest = 0.0

    init(_ tenant: String, devices: Int, every seconds: Double) {
      self.tenant = tenant
      next = (0..<devices).map { SendingLimitsTests.at(Double($0) * seconds / Double(devices)) }
    }
  }

  @Test(
    "FLEET-73: a tenant at ten times its share has its share, and no message of another one waits"
  )
  func others() {
    var limits = SendingLimits(Self.share(tenant: 100, 100, device: 50, 50), connections: 500)
    // 1,000 fixes/s wanted, 100 allowed; the other one has 80 of its 100.
    var crowds = [
      Crowd("greedy", devices: 200, every: 0.2), Crowd("calm", devices: 80, every: 1),
    ]
    let end = Self.at(20)
    while true {
      // The device that is next.
      var (crowd, device) = (0, 0)
      for (number, other) in crowds.enumerated() {
        for (index, date) in other.next.enumerated() where date < crowds[crowd].next[device] {
          (crowd, device) = (number, index)
        }
      }
      let now = crowds[crowd].next[device]
      guard now < end else { break }
      let name = Self.name(crowds[crowd].tenant, device)
      var went = now
      switch limits.admit(1, of: name, at: now, waiting: .seconds(30)) {
      case .passes: break
      case .later(let date, _): went = date
      case .refused: Issue.record("refused")
      }
      if went < end { crowds[crowd].passed += 1 }
      crowds[crowd].latest = max(crowds[crowd].latest, went.seconds(since: now))
      crowds[crowd].next[device] = max(went, now + .seconds(crowd == 0 ? 0.2 : 1))
    }
    #expect((2000...2101).contains(crowds[0].passed))
    #expect(crowds[0].latest > 1)
    #expect(crowds[1].passed == 80 * 20 && crowds[1].latest == 0)
  }

  @Test("FLEET-74: a tenant has so many connections at once, another one its own")
  func connections() {
    var own = SendingLimits.Share()
    own.connections = 2
    var limits = SendingLimits(SendingLimits.Share(), ["small": own], connections: 8)
    let first = (0..<3).map { _ in limits.connect("small") }
    #expect(first == [true, true, false])
    limits.disconnect("small")
    let again = limits.connect("small")
    // Three quarters of all, unless there is a number of its own.
    let usual = (0..<7).filter { _ in limits.connect("a") }.count
    let other = limits.connect("b")
    #expect(again && usual == 6 && other)
  }

  @Test(
    "FLEET-73: who has paid is forgotten; a tenant that makes up names fills nobody else's table"
  )
  func memory() {
    var limits = SendingLimits(Self.share(device: 1, 1), connections: 8, mostDevices: 1000)
    for device in 0..<100_000 {
      _ = limits.admit(
        1, of: Self.name("a", device), at: Self.at(Double(device) / 100), waiting: .zero)
      #expect(limits.devices <= 300)
    }
    for device in 0..<1000 {
      let name = Self.name("b", device)
      #expect(limits.admit(1000, of: name, at: Self.at(2000), waiting: .zero) == .passes)
    }
    let name = Self.name("b", 1000)
    #expect(
      limits.admit(1, of: name, at: Self.at(2000.1), waiting: .zero)
        == .refused(.devices, after: .seconds(1)))
    #expect(limits.admit(1, of: Self.name("c", 1), at: Self.at(2000.1), waiting: .zero) == .passes)
    #expect(limits.admit(1, of: name, at: Self.at(4000), waiting: .zero) == .passes)
    for tenant in 0..<10_000 {
      _ = limits.admit(
        1, of: Self.name("t\(tenant)", 1), at: Self.at(5000 + Double(tenant)), waiting: .zero)
    }
    #expect(limits.devices <= 300)
  }
}
