import LocationModel
import LocationProviders
import TestSupport
import Testing

@Suite("The error of a heading")
struct HeadingErrorTests {
  // The same table stands in docs/decisions/0023-heading-error.md.
  @Test("grows with the field's inclination, not with the device's, and is what is claimed")
  func table() throws {
    let rows = try [0.0, 30, 60, 85].map { pitch in
      let cells = try [0.0, 45, 66, 80].map { try error(pitch: pitch, inclination: $0) }
      return "\(Int(pitch)): " + cells.joined(separator: ", ")
    }
    #expect(
      rows.joined(separator: "\n") == """
        0: 0.7 1.0, 1.1 1.4, 2.1 2.8, 5.1 7.0
        30: 0.7 1.0, 1.1 1.4, 2.1 2.8, 5.1 7.0
        60: 0.7 1.0, 1.1 1.4, 2.1 2.8, 5.2 7.0
        85: 0.8 1.0, 1.2 1.4, 2.1 2.8, 5.2 7.0
        """)
  }

  /// Degrees: the error against truth and the accuracy claimed, both root mean square.
  private func error(pitch: Double, inclination: Double) throws -> String {
    var device = SimulatedCompass(
      inclination: inclination, fieldNoise: 0.6, accelerationNoise: 0.1)
    let calibration = CompassCalibration(
      offset: DeviceVector(x: 0, y: 0, z: 0), shape: .identity, radius: 50, spread: 0.6)
    let made = IIOCompass(SimulatedCompass.tree, stored: { _ in calibration.encoded })
    var bench = Bench(try #require(made))
    bench.send(.start)
    var sums = (error: 0.0, claim: 0.0, count: 0.0)
    for turn in 0..<400 {
      let heading = Double(turn * 37 % 360)
      bench.run(for: .seconds(2))
      bench.send(.readings(device.readings(heading: heading, pitch: pitch, roll: 0)))
      guard case .observation(let sample)? = bench.outputs.last?.output else { continue }
      let error = difference(sample.magneticHeading, heading)
      let claim = try #require(sample.accuracy)
      sums = (sums.error + error * error, sums.claim + claim * claim, sums.count + 1)
    }
    let means = [sums.error, sums.claim].map { ($0 / sums.count).squareRoot() }
    return means.map { "\(($0 * 10).rounded() / 10)" }.joined(separator: " ")
  }
}
