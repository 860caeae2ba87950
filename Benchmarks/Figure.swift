import Foundation

/// One measured number, printed for people and as a line of JSON for programs.
struct Figure: Encodable {
  /// Dotted, lower case: `geodesic.inverse.time`.
  var name: String
  var value: Double
  var unit: String

  /// Prints `label  value unit`, then the JSON line.
  static func report(_ name: String, _ value: Double, _ unit: String, _ label: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let line = try encoder.encode(Figure(name: name, value: value, unit: unit))
    print(label + ": " + String(format: "%.4g", value) + " " + unit)
    print(String(decoding: line, as: UTF8.self))
  }
}

/// The shortest of several runs, in seconds.
func shortestTime(of rounds: Int, _ body: () -> Void) -> Double {
  let clock = ContinuousClock()
  return (0..<rounds).map { _ in clock.measure(body) / .seconds(1) }.min() ?? .infinity
}
