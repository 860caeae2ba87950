import LocationEngine
import LocationModel
import Testing

@Suite("Headings in the engine")
struct HeadingDeliveryTests {
  private var bench = SignalsBench()

  @Test("HEAD-2, AVAIL-3: do not begin without a compass, and begin with one")
  mutating func availability() {
    bench.heading(.start(HeadingOptions()))
    #expect(!bench.equipment.hasCompass)
    #expect(!bench.demand.magnetometer)
    bench.send(.compass(ProviderID(0), true))
    #expect(bench.equipment.hasCompass)
    bench.heading(.start(HeadingOptions()))
    #expect(bench.demand.magnetometer)
    bench.heading(.stop)
    #expect(!bench.demand.magnetometer)
  }

  @Test("HEAD-4: know true north only while the same manager's location updates run")
  mutating func declination() {
    begin()
    bench.stand(at: cupertino)
    bench.point(10)
    bench.request(.updates(SubscriberID(2), .start(UpdateOptions())))
    bench.stand(at: cupertino)
    bench.point(20)
    bench.request(.updates(SignalsBench.manager, .start(UpdateOptions())))
    bench.point(30)
    bench.request(.updates(SignalsBench.manager, .stop))
    bench.point(40)
    #expect(
      bench.transcript == """
        00:00:00  heading 10.0 to 1
        00:00:00  heading 20.0 to 1
        00:00:00  heading 30.0 to 1, true 42.9
        00:00:00  heading 40.0 to 1
        """)
  }

  @Test("ADMIN-2: the owner sees the newest that an app has, of the top edge, and its error")
  mutating func seen() {
    begin()
    #expect(bench.heading == nil)
    bench.heading(.change(HeadingOptions(orientation: .landscapeRight)))
    bench.point(80)
    bench.point(100)
    #expect(bench.transcript.hasSuffix("heading 10.0 to 1"))
    #expect(bench.heading?.magneticHeading == 100 && bench.heading?.accuracy == 5)
    bench.heading(.stop)
    #expect(bench.heading == nil)
  }

  @Test("HEAD-4, HEAD-11: are magnetic only for an app that may not know where it is")
  mutating func denied() {
    begin(.never)
    bench.request(.updates(SignalsBench.manager, .start(UpdateOptions())))
    bench.stand(at: cupertino)
    bench.point(10)
    #expect(bench.transcript.hasSuffix("heading 10.0 to 1"))
  }

  @Test("HEAD-9: ask for calibration the first time ever, and show it only when the app agrees")
  mutating func calibration() {
    bench.send(.compass(ProviderID(0), true))
    bench.heading(.start(HeadingOptions()))
    bench.heading(.calibrationAnswer(true))
    bench.heading(.dismissCalibration)
    bench.request(.heading(SubscriberID(2), .start(HeadingOptions())))
    #expect(
      bench.transcript == """
        00:00:00  asked for the first time
        00:00:00  calibrate?
        00:00:00  calibration shown
        00:00:00  calibration hidden
        """)
  }

  @Test("HEAD-10: pause while the app is suspended")
  mutating func suspension() {
    begin()
    bench.live(.suspended)
    #expect(!bench.demand.magnetometer)
    bench.point(10)
    bench.live(.foreground)
    #expect(bench.demand.magnetometer)
    bench.point(20)
    #expect(bench.transcript == "00:00:00  heading 20.0 to 1")
  }

  @Test("HEAD-12: fail when the compass goes away")
  mutating func loss() {
    begin()
    bench.send(.compass(ProviderID(0), false))
    #expect(bench.transcript == "00:00:00  heading failed")
    #expect(!bench.demand.magnetometer)
  }

  @Test("come from the first compass of several")
  mutating func precedence() {
    begin()
    bench.send(.compass(ProviderID(1), true))
    bench.point(10, from: 1)
    bench.point(20, from: 0)
    bench.send(.compass(ProviderID(0), false))
    bench.point(30, from: 1)
    #expect(
      bench.transcript == """
        00:00:00  heading 20.0 to 1
        00:00:00  heading 30.0 to 1
        """)
  }

  @Test("end with the manager")
  mutating func end() {
    begin()
    bench.request(.end(SignalsBench.manager))
    #expect(!bench.demand.magnetometer)
    bench.point(10)
    #expect(bench.transcript.isEmpty)
  }

  /// Headings run, of an app that asked in an earlier life.
  private mutating func begin(_ setting: AuthorizationSetting = .whileUsing) {
    let key = HeadingService.key(of: SignalsBench.app)
    bench = SignalsBench(setting, stored: [StateEntry(key: key, value: [])])
    bench.send(.compass(ProviderID(0), true))
    bench.heading(.start(HeadingOptions()))
  }
}

private let cupertino = Coordinate(latitude: 37.3349, longitude: -122.009)
