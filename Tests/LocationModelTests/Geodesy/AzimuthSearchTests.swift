@testable import LocationModel
import Testing

@Suite("The search for an azimuth")
struct AzimuthSearchTests {
  @Test("finds by bisection alone what Newton finds", arguments: [1e-90, 1e-12, 1e-6, 0.2, 30, 75])
  func bisection(latitude: Double) {
    for missing in [1e-9, 1e-5, 0.01, 0.3, 0.59, 0.7, 20] {
      for end in [latitude, latitude * 0.9, 0, -latitude] {
        let problem = CanonicalInverse(
          beta1: Direction(reducing: -latitude), beta2: Direction(reducing: end),
          lambda12: Direction(degrees: 180 - missing))
        let start = Direction(sine: 1, cosine: 0)
        let newton = AzimuthSearch(problem: problem).solve(startingAt: start)
        let bisection = AzimuthSearch(problem: problem, newtonSteps: 0).solve(startingAt: start)
        #expect((newton.distance - bisection.distance).magnitude < 3e-8)
        #expect(bisection.miss.magnitude < 1e-14)
      }
    }
  }

  @Test("ends even where nothing is a number")
  func notANumber() {
    let nowhere = Direction(degrees: .nan)
    let problem = CanonicalInverse(beta1: nowhere, beta2: nowhere, lambda12: nowhere)
    let trial = AzimuthSearch(problem: problem).solve(startingAt: nowhere)
    #expect(trial.distance.isNaN)
  }
}
