import Foundation
import Synchronization

/// One measured number, printed for people and as a line of JSON for programs.
struct Figure: Encodable {
  /// Dotted, lower case: `geodesic.inverse.time`.
  var name: String
  var value: Double
  var unit: String

  private static let all = Mutex<[Figure]>([])

  /// What this run has reported so far, in order.
  static var reported: [Figure] { all.withLock { $0 } }

  /// Prints `label  value unit`, then the JSON line.
  static func report(_ name: String, _ value: Double, _ unit: String, _ label: String) throws {
    let figure = Figure(name: name, value: value, unit: unit)
    all.withLock { $0.append(figure) }
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    print(label + ": " + String(format: "%.4g", value) + " " + unit)
    print(String(decoding: try encoder.encode(figure), as: UTF8.self))
    fflush(nil)
  }
}

extension [Double] {
  /// The value below which this share of all lies; the array must not be empty.
  func quantile(_ share: Double) -> Double {
    let sorted = sorted()
    return sorted[Swift.min(Int(Double(count) * share), count - 1)]
  }

  var median: Double { quantile(0.5) }
}
