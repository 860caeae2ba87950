import CoreLocation
import Testing

@testable import INTULocationManager

@Suite("A location manager with blocks")
@MainActor
struct ManagerTests {
  let desktop = Desktop()
  var manager: INTULocationManager { desktop.manager }
  var positioning: FakePositioning { desktop.positioning }
  var diary: Diary { desktop.diary }

  @Test("INTU-1: is one for the process")
  func one() {
    #expect(INTULocationManager.sharedInstance() === INTULocationManager.shared)
  }

  @Test("INTU-2: answers on the main queue, after the call that asked")
  func mainQueue() async {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    defer { DispatchQueue.main.setSpecific(key: key, value: nil) }
    positioning.services = .denied
    let manager = manager
    await Task.detached { [diary] in
      _ = manager.requestLocation(withDesiredAccuracy: .city, timeout: 10) { _, _, status in
        diary.note("\(status), main queue: \(DispatchQueue.getSpecific(key: key) ?? false)")
      }
    }.value
    diary.note("asked")
    await desktop.settle()
    #expect(diary.lines.contains("servicesDenied, main queue: true"))
    manager.requestLocation(withDesiredAccuracy: .city, timeout: 10, block: diary.block("second"))
    diary.note("asked again")
    await desktop.settle()
    #expect(diary.lines.suffix(2) == ["asked again", "second: servicesDenied, nowhere, none"])
  }

  @Test("INTU-3: counts requests of both kinds from 1")
  func numbers() {
    let ids = [
      manager.subscribeToLocationUpdates(diary.block("1")),
      manager.subscribeToHeadingUpdates { _, _ in },
      manager.requestLocation(withDesiredAccuracy: .city, timeout: 1, block: diary.block("3")),
    ]
    #expect(ids == [1, 2, 3])
  }

  @Test("INTU-18: says what there is when time is up")
  func timeout() async {
    manager.requestLocation(withDesiredAccuracy: .room, timeout: 2.5, block: diary.block("1"))
    await desktop.settle()
    positioning.locate(within: 80)
    desktop.clock.run(for: .milliseconds(2_499))
    #expect(diary.lines.isEmpty)
    desktop.clock.run(for: .milliseconds(1))
    #expect(diary.lines == ["1: timedOut, 80 m, block"])
    #expect(manager.isIdle)
  }

  @Test("INTU-26: never runs a block after its cancellation, even of an answer on its way")
  func cancel() async {
    positioning.services = .denied
    let id = manager.requestLocation(
      withDesiredAccuracy: .city, timeout: 10, block: diary.block("1"))
    manager.cancelLocationRequest(id)
    await desktop.settle()
    #expect(diary.lines.isEmpty)
    #expect(manager.isIdle)
  }

  @Test("INTU-26: one block may cancel another that is due at the same time")
  func cancelWithin() async {
    let (manager, diary) = (manager, diary)
    manager.requestLocation(withDesiredAccuracy: .city, timeout: 10) { _, _, _ in
      diary.note("first")
      manager.cancelLocationRequest(2)
    }
    manager.requestLocation(withDesiredAccuracy: .city, timeout: 10, block: diary.block("second"))
    await desktop.settle()
    positioning.locate(within: 3)
    #expect(diary.lines == ["first"])
    await desktop.settle()
    #expect(positioning.commands.last == .stopUpdatingLocation)
  }

  @Test("INTU-25, INTU-31: forces a request to its end, and a subscription to none")
  func force() async {
    let request = manager.requestLocation(
      withDesiredAccuracy: .room, timeout: 0, block: diary.block("request"))
    let subscription = manager.subscribeToLocationUpdates(diary.block("subscription"))
    await desktop.settle()
    manager.forceCompleteLocationRequest(request)
    manager.forceCompleteLocationRequest(subscription)
    await desktop.settle()
    positioning.locate(within: 3)
    #expect(diary.lines == ["request: timedOut, nowhere, none"])
    #expect(manager.isIdle)
  }

  @Test("INTU-6, INTU-7: has the person asked as the app prefers at the time")
  func authorization() async {
    positioning.services = .notDetermined
    manager.subscribeToLocationUpdates(diary.block("1"))
    manager.preferredAuthorizationType = .always
    manager.subscribeToSignificantLocationChanges(diary.block("2"))
    await desktop.settle()
    #expect(positioning.questions == [.auto, .always])
  }

  @Test("INTU-37: sets the heading filter of the location manager, which no request changes")
  func headingFilter() async {
    #expect(manager.headingFilter == 1)
    manager.headingFilter = 5
    manager.subscribeToHeadingUpdates { _, _ in }
    await desktop.settle()
    #expect(positioning.settings == [.headingFilter(5)])
    #expect(manager.headingFilter == 5)
  }

  @Test("INTU-22: ends everything when the person says no")
  func denied() async {
    manager.subscribeToLocationUpdates(diary.block("1"))
    manager.requestLocation(withDesiredAccuracy: .city, timeout: 0, block: diary.block("2"))
    await desktop.settle()
    positioning.change(to: .denied)
    #expect(
      diary.lines == ["1: servicesDenied, nowhere, none", "2: servicesDenied, nowhere, none"])
    #expect(positioning.commands.last == .stopUpdatingLocation)
  }

  @Test("INTU-8: passes the settings for the background on")
  func background() async {
    manager.setBackgroundLocationUpdate(true)
    manager.setShowsBackgroundLocationIndicator(true)
    manager.setPausesLocationUpdatesAutomatically(false)
    await desktop.settle()
    #expect(
      positioning.settings == [
        .allowsUpdates(true), .showsIndicator(true), .pausesAutomatically(false),
      ])
  }

  @Test("INTU-36: tells valid headings, and that others are invalid")
  func headings() async {
    let diary = diary
    let id = manager.subscribeToHeadingUpdates { heading, status in
      diary.note("\(status), \(heading.map { Int($0.trueHeading) } ?? -1)")
    }
    await desktop.settle()
    positioning.send(.heading(FakeHeading()))
    positioning.send(.heading(CLHeading()))
    manager.cancelLocationRequest(id)
    positioning.send(.heading(FakeHeading()))
    manager.cancelHeadingRequest(id)
    positioning.send(.heading(FakeHeading()))
    await desktop.settle()
    #expect(diary.lines == ["success, 15", "invalid, -1", "success, 15"])
    #expect(positioning.commands == [.startUpdatingHeading, .stopUpdatingHeading])
  }

  @Test("INTU-35: says that there is no compass, once")
  func noCompass() async {
    let diary = diary
    positioning.headingServices = .unavailable
    manager.subscribeToHeadingUpdates { diary.note("\($0 == nil), \($1)") }
    await desktop.settle()
    #expect(diary.lines == ["true, unavailable"])
    #expect(positioning.commands.isEmpty)
  }

  @Test("starts the hardware once for a thousand requests from all threads, and stops it once")
  func coalesced() async {
    let (manager, diary) = (manager, diary)
    await withTaskGroup(of: Void.self) { group in
      for index in 1...1000 {
        group.addTask {
          manager.requestLocation(
            withDesiredAccuracy: index % 2 == 0 ? .city : .house, timeout: 60,
            block: { _, _, status in diary.note("\(status)") })
        }
      }
    }
    await desktop.settle()
    positioning.locate(within: 900)
    #expect(diary.lines.count == 500)
    positioning.locate(within: 12)
    #expect(diary.lines == Array(repeating: "success", count: 1000))
    let switches = positioning.commands.filter {
      $0 == .startUpdatingLocation || $0 == .stopUpdatingLocation
    }
    #expect(switches == [.startUpdatingLocation, .stopUpdatingLocation])
    #expect(manager.isIdle)
  }

  @Test("INTU-12: lowers the accuracy as soon as the most demanding request ends")
  func accuracyFalls() async {
    manager.subscribeToLocationUpdates(withDesiredAccuracy: .city, block: diary.block("1"))
    manager.requestLocation(withDesiredAccuracy: .room, timeout: 60, block: diary.block("2"))
    await desktop.settle()
    positioning.locate(within: 3)
    #expect(
      positioning.commands == [
        .desiredAccuracy(.city), .activityType(.other), .startUpdatingLocation,
        .desiredAccuracy(.room), .desiredAccuracy(.city),
      ])
  }
}

@Suite("Misuse")
struct MisuseTests {
  @Test("INTU-10: asking for no accuracy is caught in debug builds, and only there")
  func none() async {
    #if DEBUG
      let end = ExitTest.Condition.failure
    #else
      let end = ExitTest.Condition.success
    #endif
    await #expect(processExitsWith: end) {
      let desktop = await Desktop()
      desktop.manager.requestLocation(withDesiredAccuracy: .none, timeout: 1) { _, _, _ in }
    }
  }
}
