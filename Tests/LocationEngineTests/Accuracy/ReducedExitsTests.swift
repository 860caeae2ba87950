import LocationEngine
import LocationModel
import TestSupport
import Testing

/// Every way on which an app with reduced accuracy learns of places.
@Suite("The exits to an app with reduced accuracy")
struct ReducedExitsTests {
  private static let subscriber = SubscriberID(9)
  private static let circle = Circle(center: EngineBench.home, radius: 300)

  /// A full day with everything asked for: rest, a way, and rest again.
  private func day() -> EngineBench {
    var bench = EngineBench(.always)
    bench.send(.setting(.precise(EngineBench.app, false)))
    bench.send(.compass(ProviderID(0), true))
    let region = RegionDescription(
      identifier: "home", target: .circle(Self.circle), notices: RegionNotices())
    for request: Request in [
      .updates(EngineBench.manager, .start(UpdateOptions(accuracy: .bestForNavigation))),
      .heading(EngineBench.manager, .start(HeadingOptions())),
      .live(Self.subscriber, .start(LiveOptions())),
      .significantChanges(Self.subscriber, on: true), .visits(on: true),
      .region(Self.subscriber, .start(region)),
    ] { bench.request(request) }
    for minute in 0..<360 {
      let meters = Double(min(max(minute - 120, 0), 60)) * 1_000
      var fix = UpdatesBench.fix(east: meters, radius: 5, at: bench.now)
      fix.altitude = 431.5
      fix.ellipsoidalAltitude = 480
      fix.verticalAccuracy = 3
      fix.speed = 16.6
      fix.speedAccuracy = 1
      fix.course = 90
      fix.courseAccuracy = 2
      fix.floor = 3
      bench.send(.fix(fix, from: ProviderID(0)))
      bench.send(
        .heading(
          HeadingSample(
            magneticHeading: Double(minute % 360), accuracy: 5, time: bench.now.unixTime),
          from: ProviderID(0)))
      bench.request(.region(Self.subscriber, .state(region)))
      bench.run(seconds: 60)
    }
    return bench
  }

  @Test("border 6: fixes and visits hold a rounded point, its accuracy, and a whole minute")
  func places() {
    let bench = day()
    var (fixes, visits) = ([Fix](), [Visit]())
    for case .deliver(_, let delivery) in bench.bench.outputs.map(\.output) {
      switch delivery {
      case .updates(_, .fixes(let new)): fixes += new
      case .live(_, let update): fixes += update.fix.map { [$0] } ?? []
      case .state(let state): fixes += state.lastFix.map { [$0] } ?? []
      case .pending(_, .visit(let visit)): visits.append(visit)
      default: break
      }
    }
    #expect(fixes.count > 10 && !visits.isEmpty)
    for fix in fixes {
      var bare = Fix(
        coordinate: fix.coordinate, horizontalAccuracy: 5_000, time: fix.time, origin: fix.origin)
      #expect(fix == bare)
      bare.coordinate = fix.coordinate.rounded
      #expect(fix == bare)
      #expect(fix.time.seconds.truncatingRemainder(dividingBy: 60) == 0)
    }
    for visit in visits {
      #expect(visit.coordinate == visit.coordinate.rounded)
      #expect(visit.horizontalAccuracy == 5_000 && visit.evidence == nil)
      for time in [visit.arrival, visit.departure] {
        #expect((time?.seconds ?? 0).truncatingRemainder(dividingBy: 60) == 0)
      }
    }
  }

  @Test("border 6: regions tell no side, also when asked")
  func regions() {
    for case .deliver(_, let delivery) in day().bench.outputs.map(\.output) {
      switch delivery {
      case .region(_, _, .determined(let state)): #expect(state == .unknown)
      case .pending(_, .region): Issue.record("a crossing was delivered")
      default: break
      }
    }
  }

  @Test("border 6: true north is that of the rounded point, not that of the device")
  func trueNorth() throws {
    let bench = day()
    var (point, headings) = (Coordinate?.none, 0)
    for case .deliver(_, let delivery) in bench.bench.outputs.map(\.output) {
      switch delivery {
      case .updates(_, .fixes(let new)): point = new.last?.coordinate
      case .heading(_, .heading(let heading)):
        guard let point, let trueHeading = heading.trueHeading else { continue }
        headings += 1
        let field = try #require(MagneticModel.field(at: point, time: heading.time))
        let delivered = normalizedDegrees(trueHeading - heading.magneticHeading + 180) - 180
        // The model's drift of a day at most lies between.
        #expect((delivered - field.declination).magnitude < 0.001)
      default: break
      }
    }
    #expect(headings > 100)
  }
}

extension Coordinate {
  fileprivate var rounded: Coordinate {
    Coordinate(
      latitude: (latitude * 1000).rounded() / 1000,
      longitude: (longitude * 1000).rounded() / 1000)
  }
}
