import Foundation

/// What each figure must keep to: `thresholds.json`, so that a slowdown is a diff.
struct Thresholds {
  struct Bounds: Decodable {
    var most: Double?
    var least: Double?

    func admit(_ value: Double) -> Bool {
      value <= most ?? .infinity && value >= least ?? -.infinity
    }

    var text: String {
      [most.map { "at most \($0)" }, least.map { "at least \($0)" }].compactMap { $0 }
        .joined(separator: ", ")
    }
  }

  struct Verdict {
    var text: String
    var isGood: Bool
  }

  private var bounds: [String: Bounds]

  init(_ bounds: [String: Bounds]) {
    self.bounds = bounds
  }

  static func read() throws -> Thresholds {
    let file = Peers.packageRoot.appending(path: "Benchmarks/thresholds.json")
    return Thresholds(
      try JSONDecoder().decode([String: Bounds].self, from: Data(contentsOf: file)))
  }

  /// Compares what was measured; names each figure out of bounds, and in a whole run each that is
  /// missing.
  func verdict(on figures: [Figure], isWhole: Bool) -> Verdict {
    let broken = figures.compactMap { figure -> String? in
      guard let bounds = bounds[figure.name], !bounds.admit(figure.value) else { return nil }
      return "\(figure.name) is \(String(format: "%.4g", figure.value)), and must be \(bounds.text)"
    }
    let measured = Set(figures.map(\.name))
    let missing = isWhole ? bounds.keys.filter { !measured.contains($0) }.sorted() : []
    var lines = broken.map { "TOO SLOW: \($0)" }
    lines += missing.map { "not measured, so not compared: \($0)" }
    if broken.isEmpty { lines.append("All measured figures keep to Benchmarks/thresholds.json.") }
    return Verdict(text: "\n" + lines.joined(separator: "\n"), isGood: broken.isEmpty)
  }
}
