import LocationModel

/// What a feature of the address index is.
enum StreetFeatureKind: Int {
  /// A named way for traffic or for walking.
  case street = 0
  /// A house number, with or without a name of its own.
  case address = 1
  /// A named thing at an address: a shop, a school, a bus stop.
  case interest = 2
  /// A line along which house numbers rise evenly.
  case interpolation = 3
  /// Any other named thing: a hamlet, a peak, a lake. Found by name only.
  case other = 4
}

/// A feature of OpenStreetMap, reduced to what an address needs.
struct StreetFeature: Hashable {
  var kind: StreetFeatureKind
  var name: String?
  var number: String?
  /// The street, or the settlement for houses numbered by settlement.
  var street: String?
  var locality: String?
  var postalCode: String?
  var shape: StreetShape

  /// Sorts a feature by its tags; `nil` when an address index has no use for it.
  init?(_ feature: OsmFeature) {
    let tags = feature.tags
    shape = StreetShape(feature.geometry)
    // A road without a name goes by its number.
    name = tags["name"] ?? (tags["highway"] == nil ? nil : tags["ref"])
    number = tags["addr:housenumber"]
    street = tags["addr:street"] ?? tags["addr:place"]
    locality = tags["addr:city"]
    postalCode = tags["addr:postcode"]
    guard let kind = Self.kind(of: tags, shape: shape) else { return nil }
    self.kind = kind
  }

  private static func kind(
    of tags: [String: String], shape: StreetShape
  ) -> StreetFeatureKind? {
    let isLine = if case .line = shape { true } else { false }
    if tags["addr:interpolation"] != nil { return isLine ? .interpolation : nil }
    // Closed ways come twice, as a line and as an area; only a street is wanted as a line.
    if isLine {
      if tags["highway"] != nil { return tags["name"] ?? tags["ref"] == nil ? nil : .street }
      return tags["waterway"] != nil && tags["name"] != nil ? .other : nil
    }
    if tags["addr:housenumber"] != nil { return .address }
    guard tags["name"] != nil else { return nil }
    if case .polygon = shape, tags["highway"] != nil { return nil }
    if tags["highway"] == "bus_stop" { return .interest }
    return interestKeys.contains { tags[$0] != nil && !coarse.contains(tags[$0] ?? "") }
      ? .interest : .other
  }

  /// Keys whose features people visit at an address.
  private static let interestKeys = [
    "amenity", "shop", "tourism", "leisure", "historic", "office", "craft", "healthcare", "club",
    "emergency", "railway", "aeroway", "man_made",
  ]
  /// Values that are landscapes rather than addresses.
  private static let coarse: Set = ["park", "nature_reserve", "rail", "attraction"]
}

extension StreetFeature {
  /// The words of a street's name in the form all spellings share: "Bahnhofstr." and
  /// "Bahnhofstraße", "N Main St" and "North Main Street".
  static func key(_ words: [String]) -> [String] {
    words.enumerated().map { position, word in
      if position > 0, let long = endings[word] { return long }
      if let long = directions[word] { return long }
      if word.hasSuffix("str"), word.utf8.count > 5 { return word + "asse" }
      return word
    }
  }

  private static let endings = [
    "st": "street", "str": "strasse", "rd": "road", "ave": "avenue", "av": "avenue",
    "blvd": "boulevard", "dr": "drive", "ln": "lane", "ct": "court", "pl": "place",
    "hwy": "highway", "pkwy": "parkway", "cir": "circle", "ter": "terrace", "sq": "square",
  ]
  private static let directions = [
    "n": "north", "s": "south", "e": "east", "w": "west", "str": "strasse",
  ]
}
