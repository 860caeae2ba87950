/// Reads the values of a configuration's lines.
///
/// Each function sets a place, or leaves it and returns what is wrong with the value; `nil` for
/// nothing.
enum SettingValue {
  static func path(_ place: inout String?, _ value: String, _ key: String) -> String? {
    guard value.hasPrefix("/") else { return "`\(key)` must be an absolute path" }
    place = value
    return nil
  }

  static func number(
    _ place: inout Int, _ value: String, in range: ClosedRange<Int>, _ key: String
  ) -> String? {
    guard let number = Int(value), range.contains(number) else {
      return "`\(key)` must be a whole number from \(range.lowerBound) to \(range.upperBound)"
    }
    place = number
    return nil
  }

  static func number(
    _ place: inout Int?, _ value: String, in range: ClosedRange<Int>, _ key: String
  ) -> String? {
    var number = 0
    if let cause = Self.number(&number, value, in: range, key) { return cause }
    place = number
    return nil
  }

  static func decimal(
    _ place: inout Double, _ value: String, in range: ClosedRange<Double>, _ key: String
  ) -> String? {
    guard let number = Double(value), range.contains(number) else {
      return "`\(key)` must be a number from \(range.lowerBound) to \(range.upperBound)"
    }
    place = number
    return nil
  }

  static func seconds(
    _ place: inout Duration, _ value: String, in range: ClosedRange<Double>, _ key: String
  ) -> String? {
    var number = 0.0
    if let cause = decimal(&number, value, in: range, key) { return cause + " seconds" }
    place = .seconds(number)
    return nil
  }

  static func flag(_ place: inout Bool, _ value: String, _ key: String) -> String? {
    guard value == "yes" || value == "no" else { return "`\(key)` must be yes or no" }
    place = value == "yes"
    return nil
  }
}
