import LocationCoding
import LocationHost
import LocationLink
import LocationModel

extension Verb {
  private static let near = Option(
    name: "near", value: .text("LAT,LON[,METERS]"),
    summary: "With forget: only what lies around this place; METERS are 1000 unless given")
  private static let isSure = Option.isSure(
    "With forget, without --near: do not ask for confirmation")
  /// Meters. Chosen: a quarter of a town, so that a home is not the middle of a hole.
  private static let usualRadius = 1000.0

  static let map = Verb(
    name: "map", summary: "Show, import, export, or forget where transmitters are received",
    details: [
      """
      While a satellite receiver knows the place, this computer learns where access points, cells, \
      and the beacons that apps range or monitor are received, and finds its place from them when \
      the receiver does not. Without ACTION, map shows how much is known of wifi, cell, and beacon: boxes with one or more networks, those that move and are not used, \
      those of imported lists, the ground that is known, and the bytes that are stored.
      """,
      """
      import reads what somebody else has received: CSV of NeoStumbler or WiGLE, geosubmit JSON of \
      Ichnaea (lines, or a document with items), a list of cells of OpenCellID or Mozilla, or an \
      export. Hidden networks, those whose owners have opted out, phones, and vehicles are not used, \
      nor are places less accurate than 30 m, nor beacons, whose addresses change.
      """,
      """
      export writes the map itself, to be imported on this computer again after it was forgotten. \
      The map holds no addresses, only keyed hashes of them, so no other computer can read it, and no \
      list of access points can be made of it.
      """,
      """
      forget removes it, after you have confirmed that; with --near, without a question, only the places whose middles lie within METERS of that place, \
      the transmitters that are known nowhere else, and those that imported lists place there. Both \
      take away the region that the map gave, and cannot be undone; --near prints how many places \
      and transmitters it has removed.
      """,
      """
      Of the location daemon where one runs, as its owner, else of your own apps.
      """,
    ],
    operands: [
      Operand(
        name: "ACTION", summary: "What to do, if not to show it",
        choices: ["import", "export", "forget"], isOptional: true),
      Operand(
        name: "FILE", summary: "With import: what to read; - for standard input", isOptional: true,
        repeats: true),
    ],
    options: [near, isSure, .json],
    examples: [
      "locationctl map", "locationctl map import 262.csv wigle.csv",
      "locationctl map export > map.jsonl", "locationctl map forget",
      "locationctl map forget --near 48.137,11.575,500",
    ],
    run: { invocation in
      let files = Array(invocation.operands.dropFirst())
      let action = invocation.operand(0)
      guard action == "import" || files.isEmpty else {
        throw invocation.usage("\"\(files[0])\" is one word too many")
      }
      guard action == "forget" || !invocation.has(near) else {
        throw invocation.usage("--near goes with forget only")
      }
      guard !invocation.has(isSure) || action == "forget" && !invocation.has(near) else {
        throw invocation.usage("--yes goes with forget only, without --near")
      }
      switch action {
      case "import":
        guard !files.isEmpty else { throw invocation.usage("FILE is missing: what to import") }
        var report = MapImportReport()
        var store = try MapStore.find()
        for file in files { try MapImport.run(file, into: &store, &report) }
        try store.finish(&report)
        report.show(invocation)
      case "export": try MapStore.find().export()
      case "forget": try forget(invocation)
      default: show(try MapStore.find().layers(), invocation)
      }
    })

  private static func show(_ layers: [MapStatus], _ invocation: Invocation) {
    guard !invocation.has(.json) else {
      for layer in layers { Output.standard.line(layer.line) }
      return
    }
    var table = TextTable(
      ["KIND", "RECEIVED", "MOVING", "IMPORTED", "GROUND", "OLDEST", "NEWEST", "BYTES"],
      numbers: [1, 2, 3, 4, 7])
    for layer in layers where layer.transmitters + layer.imported > 0 || layer.bytes > 0 {
      table.add([
        layer.kind, "\(layer.transmitters)", "\(layer.blocked)", "\(layer.imported)",
        layer.ground, layer.oldest.map { String($0.plain.prefix(10)) } ?? "",
        layer.newest.map { String($0.plain.prefix(10)) } ?? "", "\(layer.bytes)",
      ])
    }
    Output.standard.table(table, whenEmpty: "Nothing is known of any transmitter.")
  }

  private static func forget(_ invocation: Invocation) throws(Failure) {
    let place = try invocation.text(near).map { text throws(Failure) in
      try TypedCircle(text, as: "--near", in: invocation)
    }
    if place == nil { try invocation.confirm("The whole map is gone then.", "forget") }
    var store = try MapStore.find()
    guard let place else { return reportForgotten(try store.forget(), invocation) }
    let circle = Circle(center: place.center, radius: place.radius ?? usualRadius)
    let forgotten = try store.forget(within: circle)
    guard invocation.has(.json) else {
      return Output.standard.line(
        "forgot \(forgotten.places) \(forgotten.places == 1 ? "place" : "places") and "
          + "\(forgotten.transmitters) "
          + (forgotten.transmitters == 1 ? "transmitter" : "transmitters"))
    }
    var line = JSONLine(type: "forgotten")
    line.add("places", forgotten.places)
    line.add("transmitters", forgotten.transmitters)
    Output.standard.line(line.text)
  }

  private static func reportForgotten(_ rows: Int, _ invocation: Invocation) {
    guard invocation.has(.json) else {
      return Output.standard.line("forgot the map: \(rows) \(rows == 1 ? "entry" : "entries")")
    }
    var line = JSONLine(type: "forgotten")
    line.add("entries", rows)
    Output.standard.line(line.text)
  }
}

extension MapStatus {
  /// The ground that is known, in a unit that suits it.
  fileprivate var ground: String {
    area < 1e6 ? "\(Int(area.rounded())) m²" : "\((area / 1e5).rounded() / 10) km²"
  }

  fileprivate var line: String {
    var line = JSONLine(type: "map")
    line.add("kind", kind)
    line.add("received", transmitters)
    line.add("moving", blocked)
    line.add("imported", imported)
    line.add("square_meters", area)
    line.add("oldest", oldest)
    line.add("newest", newest)
    line.add("bytes", bytes)
    return line.text
  }
}
