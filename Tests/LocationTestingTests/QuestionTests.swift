import CoreLocation
import LocationTesting
import Testing

@Suite("The questions asked for an app")
struct QuestionTests {
  private let device = SimulatedDevice(at: SimulatedDeviceTests.berlin)

  @Test("SIM-29: are known with their kinds and, once they are given, their answers")
  func answers() async throws {
    var information = SimulatedDevice.usualInformation
    information["NSLocationTemporaryUsageDescriptionDictionary"] = ["route": "To show the way."]
    let app = device.app("com.example.asks", information: information)
    let other = device.app("com.example.other")
    device.person(answers: .allowWhileUsing, .keepReducedAccuracy, after: .seconds(3))
    try await app.run {
      let manager = CLLocationManager()
      try await device.advance(by: .seconds(5))
      #expect(app.questions == [])
      for _ in 0..<2 { manager.requestWhenInUseAuthorization() }
      try await device.advance(by: .seconds(1))
      #expect(app.questions.map(\.kind) == [.whenInUse])
      #expect(app.questions.map(\.answer) == [nil])
      try await device.advance(by: .seconds(5))
      #expect(app.questions.map(\.answer) == [.allowWhileUsing])
      app.setPreciseLocation(false)
      try await device.advance(by: .seconds(1))
      manager.requestTemporaryFullAccuracyAuthorization(withPurposeKey: "route") { _ in }
      try await device.advance(by: .seconds(5))
      withExtendedLifetime(manager) {}
    }
    #expect(app.questions.map(\.kind) == [.whenInUse, .fullAccuracy(purposeKey: "route")])
    #expect(app.questions.map(\.answer) == [.allowWhileUsing, .keepReducedAccuracy])
    #expect(other.questions == [])
  }

  @Test("SIM-29: have no answer where nobody gives one, or the app ends before")
  func unanswered() async throws {
    let app = device.app("com.example.ends")
    device.person(answers: .allowWhileUsing, after: .seconds(10))
    try await app.run {
      let manager = CLLocationManager()
      manager.requestWhenInUseAuthorization()
      try await device.advance(by: .seconds(5))
      withExtendedLifetime(manager) {}
    }
    app.terminate()
    try await device.advance(by: .seconds(60))
    #expect(app.questions.map(\.kind) == [.whenInUse])
    #expect(app.questions.map(\.answer) == [nil])
  }
}
