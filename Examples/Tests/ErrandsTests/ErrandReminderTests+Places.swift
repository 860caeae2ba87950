import CoreLocation
import LocationTesting
import Testing

extension ErrandReminderTests {
  @Test("finds a shop by its address")
  func address() async throws {
    var milkShop = SimulatedPlace(at: shop, name: "Milk and more", locality: "Berlin")
    milkShop.thoroughfare = "Invalidenstraße"
    device.setPlaces([SimulatedPlace(at: home, name: "Home", locality: "Berlin"), milkShop])
    try await app.run {
      let found = try await CLGeocoder().geocodeAddressString("Invalidenstraße, Berlin")
      #expect(found.map(\.name) == ["Milk and more"])
    }
  }
}
