import BeaconAdvertising
import CoreLocation
import LocationTesting
import Testing

@Suite("A simulated person who is asked for a beacon")
struct BeaconPermissionTests {
  let device = SimulatedDevice(at: CLLocationCoordinate2D(latitude: 52.52, longitude: 13.40))

  private func run(_ answer: PersonsAnswer, then change: Bool? = nil) async throws -> Bool {
    var information = SimulatedDevice.usualInformation
    information["NSBluetoothAlwaysUsageDescription"] = "To open the door."
    let app = device.app("com.example.door", information: information)
    device.person(answers: answer, after: .seconds(2))
    return try await app.run {
      let region = CLBeaconRegion(uuid: UUID(), major: 1, minor: 7, identifier: "door")
      let advertiser = BeaconAdvertiser()
      try advertiser.startAdvertising(region.peripheralData(withMeasuredPower: nil))
      try await device.advance(by: .seconds(1))
      #expect(!advertiser.isAdvertising, "nobody has answered yet")
      try await device.advance(by: .seconds(5))
      guard let change else { return advertiser.isAdvertising }
      app.setBeaconAdvertising(change)
      try await device.advance(by: .seconds(1))
      return advertiser.isAdvertising
    }
  }

  @Test("border 10: yes puts the beacon on the air")
  func yes() async throws { #expect(try await run(.allowBeacon)) }

  @Test("border 10: no, and a yes to something else, do not")
  func no() async throws {
    #expect(try await !run(.doNotAllowBeacon))
    #expect(try await !run(.allowFullAccuracy))
  }

  @Test("border 10: a yes taken back silences it, and a no taken back brings it on")
  func changes() async throws {
    #expect(try await !run(.allowBeacon, then: false))
    #expect(try await run(.doNotAllowBeacon, then: true))
  }
}
