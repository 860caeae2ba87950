import LocationGeocoding
import LocationHost
import LocationModel

/// A coordinate as typed, `LAT,LON`, with a radius where one was added.
struct TypedCircle {
  var center: Coordinate
  /// Meters.
  var radius: Double?

  /// How far around a place answers are preferred where no radius is typed. Chosen: a large city.
  private static let defaultRadius = 50_000.0

  /// Reads `LAT,LON[,RADIUS]`; a mistake names the word it was typed for.
  init(_ text: String, as name: String, in invocation: Invocation) throws(Failure) {
    let words = text.split(separator: ",", omittingEmptySubsequences: false)
    let numbers = words.compactMap { word in
      Double(word.drop { $0 == " " }).flatMap { $0.isFinite ? $0 : nil }
    }
    guard numbers.count == words.count, (2...3).contains(numbers.count) else {
      throw invocation.usage(
        "\(name) cannot be \"\(text)\": degrees with a comma between, such as 47.14,9.52")
    }
    center = Coordinate(latitude: numbers[0], longitude: numbers[1])
    guard center.isValid else {
      let what = center.latitude.magnitude > 90 ? "latitude" : "longitude"
      throw invocation.usage("\(name) cannot be \"\(text)\": the \(what) is out of range")
    }
    radius = numbers.count == 3 ? numbers[2] : nil
    guard radius ?? 1 > 0 else {
      throw invocation.usage("\(name) cannot be \"\(text)\": the radius is not positive")
    }
  }

  var hint: RegionHint { RegionHint(center: center, radius: radius ?? Self.defaultRadius) }
}

extension Option {
  static let locale = Option(
    name: "locale", value: .text("ID"),
    summary: "The language of names, such as de or zh-Hant; else the one of $LANG")
}

extension Invocation {
  /// The language of names: `--locale`, else that of the environment (GEO-12).
  func placeLocale(_ environment: HostEnvironment = .current) throws(Failure) -> PlaceLocale {
    guard let typed = text(.locale) else {
      let message = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment.variables[$0] }
      return PlaceLocale(message.first { !$0.isEmpty } ?? "en")
    }
    let language = typed.prefix { !"-_.@".contains($0) }
    guard (2...3).contains(language.count), language.allSatisfy({ $0.isASCII && $0.isLetter })
    else {
      throw usage("--locale cannot be \"\(typed)\": a language such as de, or de_AT")
    }
    return PlaceLocale(typed)
  }
}
