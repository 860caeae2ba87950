import LocationHost
import LocationModel
import TestSupport
import Testing

@testable import LocationDaemon

@Suite("What wakes suspended apps")
struct SleepingAppsTests {
  private static let app = AppIdentity("org.example.walk")
  private static let unit = SleepingApps.Sleep.frozen(unit: "walk.service")
  private static let client = ClientID(1)
  private static let refusal = "systemd refuses it: org.freedesktop.DBus.Error.AccessDenied"

  private func at(_ seconds: Int) -> Moment {
    Moment(uptime: .start + .seconds(seconds), unixTime: UnixTime(seconds: Double(seconds)))
  }

  private func event(_ client: ClientID = client) -> SleepingApps.Input {
    .event(Self.app, Self.unit, client)
  }

  private func answer(_ fault: String?) -> SleepingApps.Input {
    .answered(Self.app, Self.unit, fault: fault)
  }

  @Test("SLC-8: count nothing as woken before the system says so, and ask it once")
  func confirmed() {
    var apps = SleepingApps()
    #expect(apps.handle(event(), at: at(0)) == [.wake(Self.app, Self.unit)])
    #expect(apps.handle(event(ClientID(2)), at: at(1)) == [])
    #expect(apps.handle(answer(nil), at: at(1)) == [.woken([Self.client, ClientID(2)])])
    #expect(apps.handle(.runtimeOver(Self.app), at: at(10)) == [.suspend(Self.app, Self.unit)])
    #expect(apps.handle(.runtimeOver(Self.app), at: at(20)) == [])
  }

  @Test("SLC-8: say why once, suspend nothing that they did not wake, and ask again in a minute")
  func refused() {
    var apps = SleepingApps()
    _ = apps.handle(event(), at: at(0))
    let refused = apps.handle(answer(Self.refusal), at: at(0))
    #expect(refused == [.refused(Self.app, Self.refusal)])
    #expect(apps.obstacle(of: Self.app) == Self.refusal)
    #expect(apps.handle(.runtimeOver(Self.app), at: at(10)) == [])
    #expect(apps.handle(event(), at: at(59)) == [])
    #expect(apps.handle(event(), at: at(60)) == [.wake(Self.app, Self.unit)])
    #expect(apps.handle(answer(nil), at: at(61)) == [.woken([Self.client])])
    #expect(apps.obstacle(of: Self.app) == nil)
  }

  @Test("LIFE-6: suspend at once what was woken when the time for the event was already over")
  func late() {
    var apps = SleepingApps()
    _ = apps.handle(event(), at: at(0))
    #expect(apps.handle(.runtimeOver(Self.app), at: at(10)) == [])
    #expect(apps.handle(answer(nil), at: at(11)) == [.suspend(Self.app, Self.unit)])
  }

  @Test("wake again what somebody else has suspended meanwhile, and forget what has ended")
  func again() {
    var apps = SleepingApps()
    _ = apps.handle(event(), at: at(0))
    _ = apps.handle(answer(nil), at: at(0))
    #expect(apps.handle(event(), at: at(1)) == [.wake(Self.app, Self.unit)])
    #expect(apps.handle(.ended(Self.app), at: at(1)) == [])
    #expect(apps.handle(answer(nil), at: at(1)) == [])
    #expect(apps.handle(.runtimeOver(Self.app), at: at(1)) == [])
  }
}
