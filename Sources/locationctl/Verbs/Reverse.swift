import LocationGeocoding
import LocationModel

extension Verb {
  static let reverse = Verb(
    name: "reverse", summary: "Find the address of a coordinate",
    details: [
      """
      Prints what lies there, with its source: an address where an address index knows one, else \
      the town, the region, and the country; at sea, the sea. Asks the same geocoder as `geocode`; \
      a web geocoder receives the place to 0.0001 degrees, 11 meters.
      """
    ],
    operands: [Operand(name: "LAT,LON", summary: "Degrees, north and east positive")],
    options: [.locale, .json],
    examples: [
      "locationctl reverse 47.1410,9.5215", "locationctl reverse -33.86,151.21 --locale de",
    ],
    run: { invocation in
      let word = invocation.operand(0) ?? ""
      let place = try TypedCircle(word, as: "LAT,LON", in: invocation)
      guard place.radius == nil else {
        throw invocation.usage("LAT,LON cannot be \"\(word)\": two numbers")
      }
      let question = GeocodeQuestion.reverse(place.center, try invocation.placeLocale())
      try PlaceLookup().show(question, called: word, asJSON: invocation.has(.json))
    })
}
