import Foundation

/// The trade-off as a page and a picture.
struct TradeoffDocument {
  var points: [TradeoffPoint]

  var text: String {
    """
    # False transitions against delay

    Written by `swift run -c release Benchmarks tradeoff`; simulated truth with seeded noise, one fix
    a second. A device stays inside a circle for 1,000 hours at twenty places up to 0.7 radii from
    its center; its receiver errs by 8 m for a minute at a time and, every two hours, is 200 m wrong
    for one to eight minutes while it claims 2 m. Then 200 walks at 1.4 m/s leave the circle: the
    delay counts from the true crossing. The plain rules exist in the benchmark only.

    ![False transitions against delay](conditions-tradeoff.svg)

    | radius, m | rule | false transitions in 1,000 h | exit delay, median s | 90 % s |
    |---|---|---|---|---|

    """ + points.map(\.line).joined(separator: "\n") + "\n"
  }

  /// Delay to the right, false transitions upwards by powers of ten; one color a rule.
  var picture: String {
    let marks = points.map { point -> String in
      let (x, y) = position(of: point)
      let color = colors[point.rule] ?? "black"
      return """
        <circle cx="\(x)" cy="\(y)" r="6" fill="\(color)" fill-opacity="0.8"/>\
        <text x="\(x + 8)" y="\(y + 4)">\(Int(point.radius))</text>
        """
    }
    let legend = colors.sorted { $0.key < $1.key }.enumerated().map { row, entry in
      """
      <circle cx="560" cy="\(40 + row * 22)" r="6" fill="\(entry.value)"/>\
      <text x="572" y="\(44 + row * 22)">\(entry.key)</text>
      """
    }
    let grid = (-1...5).map { power -> String in
      let y = 420 - (Double(power) + 1) * 60
      let value = power < 0 ? "none" : "\(Int(Foundation.pow(10, Double(power))))"
      return """
        <line x1="60" y1="\(y)" x2="540" y2="\(y)" stroke="#ddd"/>\
        <text x="54" y="\(y + 4)" text-anchor="end">\(value)</text>
        """
    }
    let ticks = stride(from: 0, through: 60, by: 10).map {
      "<text x=\"\(60 + $0 * 8)\" y=\"440\" text-anchor=\"middle\">\($0) s</text>"
    }
    let title = "false transitions in 1,000 h against the median exit delay; labels: radius in m"
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 470" font-family="sans-serif" \
      font-size="12">
      <rect width="720" height="470" fill="white"/>
      <text x="60" y="20">\(title)</text>
      \((grid + ticks + marks + legend).joined(separator: "\n"))
      </svg>

      """
  }

  private func position(of point: TradeoffPoint) -> (x: Double, y: Double) {
    let power = max(Foundation.log10(max(point.falseTransitions, 0.1)), -1)
    return (60 + min(max(point.delay, 0), 60) * 8, 420 - (power + 1) * 60)
  }

  private let colors = [
    "evidence (ours)": "#1b7f3b", "containment": "#c0392b", "margin and 20 s": "#2c6fbb",
    "overlap 75/25": "#b8860b", "two fixes": "#7d3c98",
  ]
}
