import CoreLocation
import Testing

@testable import INTULocationManager

/// The examples of the original's README, line by line in Swift: what an app wrote for it compiles
/// here and does the same.
@Suite("An example of the original's README")
@MainActor
struct ReadmeTests {
  let desktop = Desktop()
  var positioning: FakePositioning { desktop.positioning }
  var diary: Diary { desktop.diary }

  @Test("getting the current location once")
  func once() async {
    INTULocationManager.$bound.withValue(desktop.manager) {
      let diary = diary
      let locMgr = INTULocationManager.sharedInstance()
      locMgr.requestLocation(
        withDesiredAccuracy: .city,
        timeout: 10.0,
        delayUntilAuthorized: true
      ) { currentLocation, achievedAccuracy, status in
        if status == .success {
          diary.note("found, \(achievedAccuracy), \(currentLocation != nil)")
        } else if status == .timedOut {
          diary.note("best so far, \(achievedAccuracy), \(currentLocation != nil)")
        } else {
          diary.note("error, \(status)")
        }
      }
    }
    await desktop.settle()
    positioning.locate(within: 900)
    #expect(diary.lines == ["found, neighborhood, true"])
  }

  @Test("getting the current location once, when it cannot be had in time")
  func onceTimedOut() async {
    INTULocationManager.$bound.withValue(desktop.manager) {
      let diary = diary
      let locMgr = INTULocationManager.sharedInstance()
      locMgr.requestLocation(
        withDesiredAccuracy: INTULocationAccuracy.city,
        timeout: 10.0
      ) { currentLocation, achievedAccuracy, status in
        if status == INTULocationStatus.success {
          diary.note("found")
        } else if status == INTULocationStatus.timedOut {
          diary.note("best so far, \(achievedAccuracy), \(currentLocation != nil)")
        } else {
          diary.note("error, \(status)")
        }
      }
    }
    await desktop.settle()
    positioning.locate(within: 20_000)
    desktop.clock.run(for: .seconds(10))
    #expect(diary.lines == ["best so far, none, true"])
  }

  @Test("subscribing to continuous updates")
  func subscription() async {
    INTULocationManager.$bound.withValue(desktop.manager) {
      let diary = diary
      let locMgr = INTULocationManager.sharedInstance()
      locMgr.subscribeToLocationUpdates(
        withDesiredAccuracy: .house
      ) { currentLocation, achievedAccuracy, status in
        if status == .success {
          diary.note("new, \(achievedAccuracy), \(currentLocation != nil)")
        } else {
          diary.note("error, \(status)")
        }
      }
    }
    await desktop.settle()
    positioning.locate(within: 12)
    positioning.locate(within: 80)
    #expect(diary.lines == ["new, house, true", "new, block, true"])
    #expect(positioning.commands.first == .desiredAccuracy(.house))
  }

  @Test("subscribing to significant changes")
  func significantChanges() async {
    INTULocationManager.$bound.withValue(desktop.manager) {
      let diary = diary
      let locMgr = INTULocationManager.sharedInstance()
      locMgr.subscribeToSignificantLocationChanges { currentLocation, achievedAccuracy, status in
        if status == .success {
          diary.note("moved, \(achievedAccuracy), \(currentLocation != nil)")
        } else {
          diary.note("error, \(status)")
        }
      }
    }
    await desktop.settle()
    positioning.locate(within: 80)
    positioning.change(to: .denied)
    #expect(diary.lines == ["moved, block, true", "error, servicesDenied"])
  }

  @Test("INTU-34: subscribing again when the app is launched for a significant change")
  func launch() async {
    func application(didFinishLaunchingWithOptions launchOptions: [String: Any]) -> Bool {
      if launchOptions["UIApplicationLaunchOptionsLocationKey"] != nil {
        let diary = diary
        let locMgr = INTULocationManager.sharedInstance()
        locMgr.subscribeToSignificantLocationChanges { currentLocation, achievedAccuracy, status in
          diary.note("\(status), \(achievedAccuracy), \(currentLocation != nil)")
        }
      }
      return true
    }
    INTULocationManager.$bound.withValue(desktop.manager) {
      _ = application(
        didFinishLaunchingWithOptions: ["UIApplicationLaunchOptionsLocationKey": true])
    }
    await desktop.settle()
    #expect(positioning.commands == [.startSignificantChanges])
    positioning.locate(within: 80)
    #expect(diary.lines == ["success, block, true"])
  }

  @Test("managing a request in progress")
  func inProgress() async {
    await INTULocationManager.$bound.withValue(desktop.manager) {
      let locationRequestBlock: INTULocationRequestBlock = diary.block("request")
      let locMgr = INTULocationManager.sharedInstance()
      let requestID = locMgr.requestLocation(
        withDesiredAccuracy: .house,
        timeout: 5.0,
        block: locationRequestBlock)

      // Ends it early: the block runs.
      INTULocationManager.sharedInstance().forceCompleteLocationRequest(requestID)
      await desktop.settle()

      // Cancels it: the block would not run, and has run already.
      INTULocationManager.sharedInstance().cancelLocationRequest(requestID)
    }
    await desktop.settle()
    desktop.clock.run(for: .seconds(60))
    #expect(diary.lines == ["request: timedOut, nowhere, none"])
  }
}
