import LocationGeocoding
import LocationModel

extension Verb {
  private static let near = Option(
    name: "near", value: .text("LAT,LON[,RADIUS]"),
    summary: "Put the places around this one first; RADIUS in meters, 50000 unless given")
  private static let limit = Option(
    name: "limit", value: .wholeNumber("N", 1...10),
    summary: "Print so many places at most; 10 unless given")
  private static let output = Option(
    name: "output", value: .text("FILE"),
    summary: "With import: the address index to make; else the one that geocoding asks")

  static let geocode = Verb(
    name: "geocode", summary: "Find the places that a text means, or import addresses",
    details: [
      """
      Prints the places, best first, each with its source. The indexes of this machine are asked, \
      and nobody else unless $CORELOCATION_GEOCODER names a web geocoder: \
      nominatim+https://HOST or photon+https://HOST. That server receives the text, the language, \
      and a place to search near to a tenth of a degree.
      """,
      """
      `geocode import FILE` makes an address index from an OpenStreetMap extract (.osm.pbf), so \
      that streets and house numbers are found, too. It needs osmium-tool.
      """,
    ],
    operands: [
      Operand(
        name: "TEXT", summary: "A name or an address, or the word import and a file",
        repeats: true)
    ],
    options: [near, .locale, limit, output, .json],
    examples: [
      "locationctl geocode Paris, Texas", "locationctl geocode Springfield --near 39.8,-89.6",
      "locationctl geocode import liechtenstein.osm.pbf",
    ],
    run: { invocation in
      if invocation.operand(0) == "import" {
        for option in [near, limit, .locale] where invocation.has(option) {
          throw invocation.usage("--\(option.name) does not go with import")
        }
        return try AddressImport(invocation, output: invocation.text(output)).run()
      }
      guard !invocation.has(output) else {
        throw invocation.usage("--output goes with import only")
      }
      let hint = try invocation.text(near).map {
        try TypedCircle($0, as: "--near", in: invocation).hint
      }
      let text = invocation.operands.joined(separator: " ")
      let question = GeocodeQuestion.forward(text, hint, try invocation.placeLocale())
      try PlaceLookup().show(
        question, called: "\"\(text)\"", limit: invocation.wholeNumber(limit) ?? 10,
        asJSON: invocation.has(.json))
    })
}
