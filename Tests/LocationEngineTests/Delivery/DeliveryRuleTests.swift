import Foundation
import LocationEngine
import LocationModel
import TestSupport
import Testing

@Suite("The delivery table")
struct DeliveryRuleTests {
  typealias Action = DeliveryRule.Action

  /// Section 16 of the behavior document, copied by hand: service, authorization, session, and the
  /// marks for FG, BG+, BG, SUS, DEAD, QUIT. `?` is not reachable; `!` explains itself.
  static let specification = """
    startUpdatingLocation   | whenInUse   | none     | Y Y -  - - -
    startUpdatingLocation   | always      | none     | Y Y Y  Q - -
    requestLocation         | whenInUse   | none     | Y Y -  - - -
    requestLocation         | always      | none     | Y Y Y  Q - -
    Significant change      | whenInUse   | none     | Y Y -  - - -
    Significant change      | always      | none     | Y Y Y  W L L*
    Visits                  | whenInUse   | none     | Y Y -  - - -
    Visits                  | always      | none     | Y Y Y  W L L*
    Region (classic)        | whenInUse   | none     | Y Y H  H H H
    Region (classic)        | always      | none     | Y Y Y  W L L*
    Beacon region (classic) | whenInUse   | none     | Y Y H  H H H
    Beacon region (classic) | always      | none     | Y Y Y  W L L*
    Beacon ranging          | whenInUse   | none     | Y Y -  - - -
    Beacon ranging          | always      | none     | Y Y Y  - - -
    Heading                 | whenInUse   | none     | Y Y Y  - - -
    Heading                 | denied      | none     | Y Y Y  - - -
    liveUpdates             | whenInUse   | none     | Y Y -! - - -
    liveUpdates             | whenInUse   | activity | Y Y ?  W L L*
    liveUpdates             | always      | always   | Y Y Y  W L L*
    liveUpdates             | always      | none     | Y Y -! - - -
    CLMonitor events        | whenInUse   | none     | Y Y H  H H H
    CLMonitor events        | whenInUse   | activity | Y Y ?  W L L*
    CLMonitor events        | always      | always   | Y Y Y  W L L*
    CLMonitor events        | always      | none     | Y Y H  H H H
    Significant change      | provisional | none     | Y Y P  P P P
    Region (classic)        | provisional | none     | Y Y P  P P P
    CLMonitor events        | provisional | always   | Y Y P  P P P
    Session diagnostics     | denied      | none     | Y Y Y  QL - -
    Geocoder                | denied      | none     | Y Y Y  - - -
    """

  /// The cells of one line; the marks are decided by the rule below them.
  static func cells(_ line: Substring) -> [String] {
    line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
  }

  static let marks: [String: Action] = [
    "Y": .deliver, "Q": .queue, "QL": .queueLatest, "W": .wake, "L": .launch, "L*": .launch,
    "H": .hold, "P": .holdAndAsk, "-": .nothing, "-!": .nothing,
  ]

  static func facts(_ word: String) throws -> AuthorizationFacts {
    let isProvisional = word == "provisional"
    let status = try #require(AuthorizationStatus(rawValue: isProvisional ? "always" : word))
    return AuthorizationFacts(
      report: AuthorizationReport(status: status), isProvisional: isProvisional)
  }

  static let sessions: [String: DeliverySession] = [
    "none": .none, "always": .always, "activity": .backgroundActivity,
  ]

  /// A lifecycle state in the column `place`.
  static func lifecycle(_ place: DeliveryPlace) -> AppLifecycleState {
    var bench = Bench(AppLifecycleState())
    let life: AppLife =
      switch place {
      case .foreground: .foreground
      case .backgroundInUse, .background: .background
      case .suspended: .suspended
      case .dead: .terminated
      case .quit: .quit
      }
    if place == .backgroundInUse { bench.send(.hold(.backgroundActivity)) }
    bench.send(.life(life))
    return bench.machine
  }

  @Test(
    "SESS-13, LIVE-33, LIVE-38: gives every cell of section 16",
    arguments: specification.split(separator: "\n"))
  func cell(line: Substring) throws {
    let cells = Self.cells(line)
    let service = try #require(DeliveryService(rawValue: cells[0]))
    let facts = try Self.facts(cells[1])
    let session = try #require(Self.sessions[cells[2]])
    let marks = cells[3].split(separator: " ").map(String.init)
    #expect(marks.count == DeliveryPlace.allCases.count)
    for (place, mark) in zip(DeliveryPlace.allCases, marks) where mark != "?" {
      let circumstances = DeliveryRule.Circumstances(
        authorization: facts, session: session, lifecycle: Self.lifecycle(place))
      let verdict = DeliveryRule.decide(service, circumstances)
      #expect(verdict.action == Self.marks[mark], "\(place)")
      #expect(verdict.flags.contains(.insufficientlyInUse) == mark.hasSuffix("!"), "\(place)")
    }
  }

  @Test("LIFE-4: quitting is honored only when the daemon is configured so")
  func quitting() throws {
    var policy = LaunchPolicy()
    #expect(policy.permitted(.launchUnlessQuit) == .launch)
    policy.honorsQuit = true
    #expect(policy.permitted(.launchUnlessQuit) == .nothing)
    #expect(policy.permitted(.launch) == .launch)
  }

  @Test("STD-53, LIFE-2, LIFE-7: no launch without refresh, a command, or an unlocked device")
  func launches() {
    let changes: [(inout LaunchPolicy) -> Void] = [
      { $0.allowsRefresh = false }, { $0.hasLaunchCommand = false }, { $0.isUnlocked = false },
    ]
    for change in changes {
      var policy = LaunchPolicy()
      change(&policy)
      #expect(policy.permitted(.launch) == .nothing)
      #expect(policy.permitted(.launchUnlessQuit) == .nothing)
      #expect(policy.permitted(.wake) == .wake)
    }
  }

  @Test("AUTH-43, LIVE-16: reduced accuracy makes places coarse, and regions and beacons silent")
  func reduced() throws {
    for service in DeliveryService.allCases {
      let facts = AuthorizationFacts(
        report: AuthorizationReport(status: .always, accuracy: .reduced))
      let verdict = DeliveryRule.decide(
        service, .init(authorization: facts, session: .none, lifecycle: Self.lifecycle(.foreground))
      )
      switch service {
      case .standard, .oneShot, .significantChange, .visits:
        #expect(verdict == .init(.deliver, isCoarse: true))
      case .liveUpdates:
        #expect(verdict == .init(.deliver, flags: .accuracyLimited, isCoarse: true))
      case .region, .beaconRegion, .ranging:
        #expect(verdict == .init(.nothing))
      case .monitor:
        #expect(verdict == .init(.nothing, flags: .accuracyLimited))
      case .heading, .diagnostics, .geocoder:
        #expect(verdict == .init(.deliver))
      }
    }
  }

  private static let hasCoarsePlaces: Set<DeliveryService> = [
    .standard, .oneShot, .significantChange, .visits, .liveUpdates,
  ]
  private static let isSilentWhenReduced: Set<DeliveryService> = [
    .region, .beaconRegion, .ranging, .monitor,
  ]

  @Test(
    "AUTH-43, MON-33: the overlay of reduced accuracy, over every row and state",
    arguments: specification.split(separator: "\n"))
  func reducedOverlay(line: Substring) throws {
    let cells = Self.cells(line)
    let service = try #require(DeliveryService(rawValue: cells[0]))
    var facts = try Self.facts(cells[1])
    let session = try #require(Self.sessions[cells[2]])
    for place in DeliveryPlace.allCases {
      func verdict() -> DeliveryRule.Verdict {
        DeliveryRule.decide(
          service,
          .init(authorization: facts, session: session, lifecycle: Self.lifecycle(place)))
      }
      facts.report.accuracy = .full
      let full = verdict()
      #expect(!full.isCoarse && !full.flags.contains(.accuracyLimited))
      facts.report.accuracy = .reduced
      let reduced = verdict()
      let isModern = service == .liveUpdates || service == .monitor
      if Self.hasCoarsePlaces.contains(service) {
        #expect(reduced.action == full.action && reduced.isCoarse, "\(place)")
      } else if Self.isSilentWhenReduced.contains(service) {
        #expect(reduced.action == .nothing && !reduced.isCoarse, "\(place)")
      } else {
        #expect(reduced == full, "\(place)")
      }
      #expect(reduced.flags == full.flags.union(isModern ? .accuracyLimited : []), "\(place)")
    }
  }

  @Test("STD-12, LIVE-13: the overlay of no grant, over every service, session, and state")
  func denialOverlay() {
    let services = Self.hasCoarsePlaces.union(Self.isSilentWhenReduced)
    for status in [AuthorizationStatus.denied, .restricted, .notDetermined] {
      for session in [DeliverySession.none, .always, .backgroundActivity] {
        for place in DeliveryPlace.allCases {
          for service in services {
            let verdict = DeliveryRule.decide(
              service,
              .init(
                authorization: .init(report: .init(status: status, accuracy: .reduced)),
                session: session, lifecycle: Self.lifecycle(place)))
            #expect(verdict.action == .nothing && !verdict.isCoarse)
            let isModern = service == .liveUpdates || service == .monitor
            let isDenied = verdict.flags.contains(.authorizationDenied)
            #expect(isDenied == (isModern && status != .notDetermined))
          }
        }
      }
    }
  }

  @Test("LIVE-13, STD-12: denied, restricted, or off: nothing flows, and modern services say why")
  func denied() {
    let facts = [
      (AuthorizationStatus.denied, false, Diagnostics.authorizationDenied),
      (.restricted, false, [.authorizationDenied, .authorizationRestricted]),
      (.denied, true, [.authorizationDenied, .authorizationDeniedGlobally]),
      (.notDetermined, false, []),
    ]
    for (status, isGlobal, flags) in facts {
      for service in DeliveryService.allCases where service != .heading {
        guard service != .diagnostics && service != .geocoder else { continue }
        let authorization = AuthorizationFacts(
          report: AuthorizationReport(status: status), isDeniedGlobally: isGlobal)
        let verdict = DeliveryRule.decide(
          service,
          .init(
            authorization: authorization, session: .none, lifecycle: Self.lifecycle(.foreground)))
        let isModern = service == .liveUpdates || service == .monitor
        #expect(verdict == .init(.nothing, flags: isModern ? flags : []))
      }
    }
  }

  @Test("LIVE-14: undecided outside direct use, a modern service says it is not enough in use")
  func undecided() {
    let facts = AuthorizationFacts(report: AuthorizationReport(status: .notDetermined))
    let verdict = DeliveryRule.decide(
      .liveUpdates,
      .init(authorization: facts, session: .none, lifecycle: Self.lifecycle(.background)))
    #expect(verdict == .init(.nothing, flags: .insufficientlyInUse))
  }

  @Test("prints itself as documentation")
  func documentation() throws {
    let file = SharedData.packageRoot.appending(path: "docs/formats/delivery.md")
    if ProcessInfo.processInfo.environment["UPDATE_TRANSCRIPTS"] == "1" {
      try Data(DeliveryTable.markdown.utf8).write(to: file)
    }
    let page = try String(contentsOf: file, encoding: .utf8)
    #expect(page == DeliveryTable.markdown, "UPDATE_TRANSCRIPTS=1 swift test prints it anew")
  }
}
