import LocationModel
import LocationSimulation

/// Draws a simulation: the fixes with their circles of accuracy, the conditions, and every event
/// where it happened.
struct SimulationPlot: Sendable {
  private struct Mark: Sendable {
    var place: Coordinate
    var label: String
    var isArrival: Bool
  }

  private let circles: [Simulation.NamedCircle]
  private var truth: [Coordinate] = []
  private var fixes: [Fix] = []
  private var marks: [Mark] = []
  private let title: String

  init(circles: [Simulation.NamedCircle], title: String = "") {
    self.circles = circles
    self.title = title
  }

  mutating func add(truth: Coordinate) {
    if truth != self.truth.last { self.truth.append(truth) }
  }

  mutating func add(_ event: SimulationEvent, at now: Moment) {
    switch event {
    case .update(let update):
      if let fix = update.fix { fixes.append(fix) }
      if update.stationary { mark("stationary", true, now) }
    case .condition(let event) where event.state != .unknown:
      mark("\(event.identifier) \(event.state.rawValue)", event.state == .satisfied, now)
    case .region(let region, .entered): mark("\(region.identifier) entered", true, now)
    case .region(let region, .exited): mark("\(region.identifier) left", false, now)
    case .visit(let visit):
      mark(
        visit.departure == nil ? "visit: arrived" : "visit: departed", visit.departure == nil, now)
    case .significant: mark("significant move", false, now)
    case .condition, .region, .standard, .authorization, .demand, .asked, .advertising, .life:
      break
    }
  }

  private mutating func mark(_ label: String, _ isArrival: Bool, _ now: Moment) {
    guard let place = fixes.last?.coordinate else { return }
    let time = Self.clock(now.unixTime)
    // What happens at one time and place shares one mark.
    if let last = marks.last, last.place == place, last.label.hasPrefix(time) {
      marks[marks.count - 1].label += ", " + label
      return
    }
    marks.append(Mark(place: place, label: time + " " + label, isArrival: isArrival))
  }

  /// `17:04`
  private static func clock(_ date: UnixTime) -> String {
    let seconds = date.nanoseconds / 1_000_000_000 % 86_400
    return [seconds / 3600, seconds / 60 % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
      .joined(separator: ":")
  }

  // MARK: Drawing

  /// The picture, as a document of its own.
  var svg: String {
    let places = fixes.map(\.coordinate) + truth
    guard let view = View(around: places, circles) else {
      return
        #"<svg xmlns="http://www.w3.org/2000/svg" width="400" height="60"><text x="20" y="36">"#
        + "no fix came</text></svg>\n"
    }
    var svg = view.header
    svg += view.grid
    for named in circles { svg += view.circle(named) }
    svg += view.accuracy(of: fixes)
    svg += view.way(truth, "truth")
    let stretches = stretches
    for (one, next) in zip(stretches, stretches.dropFirst()) {
      svg += view.way([one.last, next.first].compactMap { $0 }, "gap")
    }
    svg += stretches.map { view.way($0, "fixes") }.joined()
    svg += clocks(in: view)
    svg += view.ends(places: fixes.map(\.coordinate))
    svg += labels(in: view)
    return svg + view.scale + view.legend(title: title, subtitle: subtitle) + "</svg>\n"
  }

  /// The fixes without the times when there were none.
  private var stretches: [[Coordinate]] {
    var stretches: [[Coordinate]] = []
    var last: UnixTime?
    for fix in fixes {
      if let last, fix.time.seconds(since: last) < Self.gap {
        stretches[stretches.count - 1].append(fix.coordinate)
      } else {
        stretches.append([fix.coordinate])
      }
      last = fix.time
    }
    return stretches
  }

  private var subtitle: String {
    guard let first = fixes.first?.time, let last = fixes.last?.time else { return "" }
    return "\(first.iso8601.prefix(10)), \(Self.clock(first)) to \(Self.clock(last)) UTC, "
      + "\(fixes.count) fixes"
  }

  /// Dots with the time, about ten of them.
  private func clocks(in view: View) -> String {
    guard let first = fixes.first?.time, let last = fixes.last?.time else { return "" }
    let wanted = last.seconds(since: first) / 10
    let pace = [60.0, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600].first { $0 >= wanted }
    let step = Int64((pace ?? 86_400) * 1e9)
    var due = (first.nanoseconds / step + 1) * step
    // Marks have times of their own.
    var dots = marks.map { view.point($0.place) }
    var svg = ""
    for fix in fixes where fix.time.nanoseconds >= due {
      let point = view.point(fix.coordinate)
      let isFree = dots.allSatisfy { abs($0.x - point.x) + abs($0.y - point.y) > 40 }
      if isFree { svg += view.clock(Self.clock(UnixTime(nanoseconds: due)), at: point) }
      if isFree { dots.append(point) }
      due = (fix.time.nanoseconds / step + 1) * step
    }
    return svg
  }

  /// Seconds without a fix that show as a gap. Chosen: two fixes are lost often, ten seldom.
  private static let gap = 10.0

  /// Marks with their labels, which keep a distance from one another.
  private func labels(in view: View) -> String {
    var taken: [(x: Double, y: Double)] = []
    return marks.map { mark in
      let point = view.point(mark.place)
      let isRight = point.x > view.width - 190
      var y = point.y - 8
      while taken.contains(where: { abs($0.y - y) < 13 && abs($0.x - point.x) < 170 }) { y += 13 }
      taken.append((point.x, y))
      return view.mark(mark.label, at: point, labelY: y, isRight: isRight, mark.isArrival)
    }.joined()
  }
}

/// Meters on the ground turned into points of the picture.
private struct View {
  let width = 1000.0
  var height: Double
  private var frame: LocalFrame
  private var west: Double
  private var north: Double
  /// Points for each meter.
  private var points: Double
  private static let margin = 60.0

  init?(around places: [Coordinate], _ circles: [Simulation.NamedCircle]) {
    guard let first = places.first else { return nil }
    frame = LocalFrame(center: first)
    var (west, east, south, north) = (0.0, 0.0, 0.0, 0.0)
    for place in places {
      let offset = frame.offset(of: place)
      (west, east) = (min(west, offset.east), max(east, offset.east))
      (south, north) = (min(south, offset.north), max(north, offset.north))
    }
    let reach = max(east - west, north - south, 100)
    for named in circles {
      let offset = frame.offset(of: named.circle.center), radius = named.circle.radius
      guard hypotenuse(offset.east, offset.north) < 3 * reach + radius else { continue }
      (west, east) = (min(west, offset.east - radius), max(east, offset.east + radius))
      (south, north) = (min(south, offset.north - radius), max(north, offset.north + radius))
    }
    let span = max(east - west, 40)
    let rise = min(max(north - south, span * 0.35), span * 1.2)
    points = min((width - 2 * Self.margin) / span, 1100 / max(north - south, 1))
    let middle = (west + east) / 2
    self.west = middle - width / 2 / points
    self.north = (north + south) / 2 + max(rise, north - south) / 2 + Self.margin / points
    height = max(rise, north - south) * points + 2 * Self.margin
  }

  func point(_ place: Coordinate) -> (x: Double, y: Double) {
    let offset = frame.offset(of: place)
    return ((offset.east - west) * points, (north - offset.north) * points)
  }

  private func text(_ number: Double) -> String { "\((number * 10).rounded() / 10)" }

  var header: String {
    """
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(text(width)) \(text(height + 92))" \
    width="\(text(width))" height="\(text(height + 92))" font-family="sans-serif" font-size="11">
    <style>
    .fixes { fill: none; stroke: #1565c0; stroke-width: 1.6; stroke-linejoin: round }
    .truth { fill: none; stroke: #9e9e9e; stroke-width: 4; stroke-linejoin: round; \
    stroke-linecap: round; opacity: .55 }
    .accuracy { fill: #1565c0; fill-opacity: .05; stroke: #1565c0; stroke-opacity: .18; \
    stroke-width: .6 }
    .condition { fill: #ef6c00; fill-opacity: .08; stroke: #ef6c00; stroke-width: 1.4; \
    stroke-dasharray: 6 4 }
    .name { fill: #b34700; font-weight: bold; text-anchor: middle }
    .arrival { fill: #2e7d32 } .departure { fill: #c62828 }
    .label { fill: #212121; paint-order: stroke; stroke: #fff; stroke-width: 3 }
    .leader { stroke: #757575; stroke-width: .8 } .grid { stroke: #e9edf1; stroke-width: 1 }
    .scale { stroke: #424242; stroke-width: 2 }
    .gap { fill: none; stroke: #1565c0; stroke-width: 1.2; stroke-dasharray: 2 5 }
    .clock { fill: #fff; stroke: #1565c0; stroke-width: 1.4 }
    .time { fill: #1565c0; font-size: 10px }
    .title { font-size: 16px; font-weight: bold; fill: #212121 } .subtitle { fill: #616161 }
    </style>
    <rect width="100%" height="100%" fill="#fbfcfd"/>

    """
  }

  /// Meters of the scale: about a fifth of the picture, a round number.
  private var step: Double {
    let wanted = 200 / points
    var step = 1.0
    while step * 10 <= wanted { step *= 10 }
    return [5, 2, 1].map { $0 * step }.first { $0 <= wanted } ?? step
  }

  var grid: String {
    let pace = step * points
    let columns = stride(from: pace, to: width, by: pace).map {
      #"<path class="grid" d="M\#(text($0)) 0V\#(text(height))"/>"#
    }
    let rows = stride(from: pace, to: height, by: pace).map {
      #"<path class="grid" d="M0 \#(text($0))H\#(text(width))"/>"#
    }
    return (columns + rows).joined() + "\n"
  }

  var scale: String {
    let label = step >= 1000 ? "\(Int(step / 1000)) km" : "\(Int(step)) m"
    let y = height - 22
    return """
      <path class="scale" d="M24 \(text(y - 5))v5h\(text(step * points))v-5" fill="none"/>
      <text x="\(text(24 + step * points / 2))" y="\(text(y - 6))" text-anchor="middle">\(label)</text>

      """
  }

  func circle(_ named: Simulation.NamedCircle) -> String {
    let center = point(named.circle.center), radius = named.circle.radius * points
    guard center.x + radius > 0, center.x - radius < width, center.y + radius > 0,
      center.y - radius < height
    else { return "" }
    return """
      <circle class="condition" cx="\(text(center.x))" cy="\(text(center.y))" r="\(text(radius))"/>
      <text class="name label" x="\(text(center.x))" \
      y="\(text(max(14, center.y - radius - 5)))">\(Self.escaped(named.identifier))</text>

      """
  }

  /// Circles of accuracy, as many as the eye can take.
  func accuracy(of fixes: [Fix]) -> String {
    let stride = max(1, fixes.count / 400)
    return fixes.indices.filter { $0 % stride == 0 }.map { index in
      let center = point(fixes[index].coordinate)
      let radius = max(1, fixes[index].horizontalAccuracy * points)
      return #"<circle class="accuracy" cx="\#(text(center.x))" cy="\#(text(center.y))""#
        + #" r="\#(text(radius))"/>"#
    }.joined() + "\n"
  }

  /// A line through places; what would fall on the same point is left out.
  func way(_ places: [Coordinate], _ style: String) -> String {
    var path = ""
    var last: (x: Double, y: Double)?
    for place in places {
      let next = point(place)
      if let last, abs(last.x - next.x) + abs(last.y - next.y) < 0.5 { continue }
      path += "\(last == nil ? "M" : "L")\(text(next.x)) \(text(next.y))"
      last = next
    }
    return path.isEmpty ? "" : #"<path class="\#(style)" d="\#(path)"/>"# + "\n"
  }

  func ends(places: [Coordinate]) -> String {
    guard let first = places.first, let last = places.last else { return "" }
    return [(first, "#fff"), (last, "#1565c0")].map { place, fill in
      let point = point(place)
      return #"<circle cx="\#(text(point.x))" cy="\#(text(point.y))" r="5" fill="\#(fill)""#
        + ##" stroke="#1565c0" stroke-width="2"/>"## + "\n"
    }.joined()
  }

  func mark(
    _ label: String, at place: (x: Double, y: Double), labelY: Double, isRight: Bool,
    _ isArrival: Bool
  ) -> String {
    let style = isArrival ? "arrival" : "departure"
    let anchor = isRight ? "end" : "start"
    let leader =
      #"<path class="leader" d="M\#(text(place.x)) \#(text(place.y))"#
      + #"L\#(text(place.x + (isRight ? -7 : 7))) \#(text(labelY - 4))"/>"#
    return leader
      + #"<circle class="\#(style)" cx="\#(text(place.x))" cy="\#(text(place.y))" r="4"/>"#
      + #"<text class="label" x="\#(text(place.x + (isRight ? -7 : 7)))" y="\#(text(labelY))""#
      + #" text-anchor="\#(anchor)">\#(Self.escaped(label))</text>"# + "\n"
  }

  func clock(_ time: String, at point: (x: Double, y: Double)) -> String {
    let (x, y) = (text(point.x), text(point.y))
    return #"<circle class="clock" cx="\#(x)" cy="\#(y)" r="2.6"/>"#
      + #"<text class="time label" x="\#(text(point.x + 5))" y="\#(text(point.y + 11))">"#
      + time + "</text>\n"
  }

  /// The title, and what is drawn how.
  func legend(title: String, subtitle: String) -> String {
    let rows = [
      (#"<path class="truth" d="M0 0h26"/>"#, "the true way"),
      (#"<path class="fixes" d="M0 0h26"/>"#, "fixes, with their accuracy"),
      (#"<path class="gap" d="M0 0h26"/>"#, "no position"),
      (#"<circle class="condition" cx="13" r="6"/>"#, "a condition"),
      (#"<circle class="arrival" cx="13" r="4"/>"#, "arrived, stands, satisfied"),
      (#"<circle class="departure" cx="13" r="4"/>"#, "left, moved, unsatisfied"),
    ]
    var svg =
      ##"<rect x="0" y="\##(text(height))" width="1000" height="92" fill="#fff"/>"##
      + #"<text class="title" x="24" y="\#(text(height + 26))">\#(Self.escaped(title))</text>"#
      + #"<text class="subtitle" x="24" y="\#(text(height + 44))">\#(subtitle)</text>"# + "\n"
    for (index, row) in rows.enumerated() {
      let (x, y) = (24 + index % 3 * 210, height + 62 + Double(index / 3) * 18)
      svg +=
        #"<g transform="translate(\#(x) \#(text(y)))">\#(row.0)"#
        + #"<text x="36" y="4">\#(row.1)</text></g>"# + "\n"
    }
    return svg
  }

  private static func escaped(_ text: String) -> String {
    text.reduce(into: "") {
      switch $1 {
      case "<": $0 += "&lt;"
      case "&": $0 += "&amp;"
      default: $0.append($1)
      }
    }
  }
}
