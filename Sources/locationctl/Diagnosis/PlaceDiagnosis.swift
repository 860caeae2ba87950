import LocationGeocoding

/// Whether this machine can name places; without an index locations come all the same.
enum PlaceDiagnosis {
  /// Reports that there is no place index and how to get one; empty where there is one.
  static var findings: [Finding] {
    guard IndexLocation.places.found == nil else { return [] }
    return [
      Finding(
        subject: "places", code: "no_place_index", verdict: .doubtful,
        message: "there is no place index: no place is found by its name, and none named",
        next: IndexLocation.howToGetPlaces)
    ]
  }
}
