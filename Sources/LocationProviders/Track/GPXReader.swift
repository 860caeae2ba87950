import LocationModel

/// Reads GPX 1.0 and 1.1.
///
/// Elements of GPX are those with the root's prefix. Extensions are skipped, except `speed`,
/// `course`, `hAcc`, and `vAcc` anywhere in a point's extensions, in any namespace (Garmin's
/// TrackPointExtension, Apple's and OsmAnd's exports). If the file is damaged, reading ends there:
/// everything before is kept, with a warning.
package struct GPXReader {
  private var scanner: XMLScanner
  private var document = GPXDocument()
  private var rootPrefix = 0..<0
  private var text: [UInt8] = []
  /// The line at `lineOffset`, kept so that lines are counted only once.
  private var line = 1
  private var lineOffset = 0

  /// Further warnings are counted only.
  package static let mostWarnings = 100

  /// Reads a whole file.
  package static func read(_ bytes: [UInt8]) throws(GPXFault) -> GPXDocument {
    guard bytes.contains(where: { !isXMLSpace($0) }) else { throw GPXFault(line: 1, cause: .empty) }
    let utf8: [UInt8]
    do { utf8 = try XMLEncoding.utf8(bytes) } catch {
      throw GPXFault(line: 1, cause: .broken(error.fault))
    }
    var reader = GPXReader(utf8)
    return try reader.read()
  }

  private init(_ bytes: [UInt8]) {
    scanner = XMLScanner(bytes)
  }

  private mutating func read() throws(GPXFault) -> GPXDocument {
    do {
      try findRoot()
      try children { (reader: inout GPXReader) throws(XMLScanner.Failure) in
        try reader.takeChapter()
      }
      try expectEnd()
    } catch let failure as XMLScanner.Failure {
      guard document.hasPoints else { throw fault(.broken(failure.fault), at: failure.offset) }
      warn(.broken(failure.fault), at: failure.offset)
    } catch let root as ForeignRoot {
      throw fault(.notGPX(root: root.name), at: scanner.tokenStart)
    } catch {
      preconditionFailure("a reader throws only these two")
    }
    return document
  }

  private struct ForeignRoot: Error {
    let name: String
  }

  private mutating func findRoot() throws {
    while true {
      switch try scanner.next() {
      case .start:
        let (prefix, local) = scanner.parts(of: scanner.name)
        guard scanner.holds(local, "gpx") else { throw ForeignRoot(name: string(scanner.name)) }
        rootPrefix = prefix
        document.version = try attribute("version")
        document.creator = try attribute("creator")
        return
      case .text(let range) where scanner.bytes[range].allSatisfy(isXMLSpace): continue
      case .endOfDocument: throw ForeignRoot(name: "")
      case .text, .verbatim, .end: throw ForeignRoot(name: "text")
      }
    }
  }

  /// Checks that nothing follows the root: joined files have more roots, which are not read.
  private mutating func expectEnd() throws(XMLScanner.Failure) {
    while true {
      switch try scanner.next() {
      case .endOfDocument: return
      case .text(let range) where scanner.bytes[range].allSatisfy(isXMLSpace): continue
      case .start, .end, .text, .verbatim: return warn(.afterEnd, at: scanner.tokenStart)
      }
    }
  }

  // MARK: Structure

  /// Calls `body` at the start tag of each child that belongs to GPX; `body` reads to its end tag.
  private mutating func children(
    _ body: (inout GPXReader) throws(XMLScanner.Failure) -> Void
  ) throws(XMLScanner.Failure) {
    while true {
      switch try scanner.next() {
      case .start: if isOwn { try body(&self) } else { try skip() }
      case .end, .endOfDocument: return
      case .text(let range): try checkText(range)
      case .verbatim: continue
      }
    }
  }

  private mutating func takeChapter() throws(XMLScanner.Failure) {
    if isElement("wpt") {
      if let point = try point() { document.waypoints.append(point) }
    } else if isElement("rte") {
      document.routes.append([])
      try children { (reader: inout GPXReader) throws(XMLScanner.Failure) in
        guard reader.isElement("rtept") else { return try reader.skip() }
        guard let point = try reader.point() else { return }
        reader.document.routes[reader.document.routes.count - 1].append(point)
      }
    } else if isElement("trk") {
      document.tracks.append([])
      try children { (reader: inout GPXReader) throws(XMLScanner.Failure) in
        guard reader.isElement("trkseg") else { return try reader.skip() }
        try reader.takeSegment(of: reader.document.tracks.count - 1)
      }
    } else {
      try skip()
    }
  }

  private mutating func takeSegment(of track: Int) throws(XMLScanner.Failure) {
    let segment = document.tracks[track].count
    document.tracks[track].append([])
    try children { (reader: inout GPXReader) throws(XMLScanner.Failure) in
      guard reader.isElement("trkpt") else { return try reader.skip() }
      guard let point = try reader.point() else { return }
      reader.document.tracks[track][segment].append(point)
    }
  }

  /// Moves behind the end of the current element.
  private mutating func skip() throws(XMLScanner.Failure) {
    let outside = scanner.depth - 1
    while scanner.depth > outside {
      if case .text(let range) = try scanner.next() { try checkText(range) }
    }
  }

  // MARK: Points

  /// Reads a point to its end tag; `nil` when it is left out.
  private mutating func point() throws(XMLScanner.Failure) -> GPXPoint? {
    let start = scanner.tokenStart
    var cause: GPXCause?
    var coordinate = Coordinate(latitude: 0, longitude: 0)
    if let latitude = value(of: "lat"), let longitude = value(of: "lon") {
      coordinate.latitude = number(latitude) ?? .nan
      coordinate.longitude = number(longitude) ?? .nan
      if !coordinate.isValid { cause = .invalidCoordinate }
    } else {
      cause = .missingCoordinate
    }
    if let cause {
      document.rejectedPoints += 1
      warn(cause, at: start)
    }
    var point = GPXPoint(coordinate)
    try children { (reader: inout GPXReader) throws(XMLScanner.Failure) in
      try reader.takeDetail(of: &point)
    }
    return cause == nil ? point : nil
  }

  private mutating func takeDetail(of point: inout GPXPoint) throws(XMLScanner.Failure) {
    if isElement("ele") {
      point.elevation = try numberContent()
    } else if isElement("time") {
      point.time = try timeContent()
    } else if isElement("extensions") {
      try takeExtensions(of: &point)
    } else if try !takeMotion(of: &point) {
      try skip()
    }
  }

  /// Reads the known elements at any depth of a point's extensions.
  private mutating func takeExtensions(of point: inout GPXPoint) throws(XMLScanner.Failure) {
    let outside = scanner.depth - 1
    while scanner.depth > outside {
      guard case .start = try scanner.next() else { continue }
      _ = try takeMotion(of: &point)
    }
  }

  /// Reads the element if it holds motion or accuracy.
  private mutating func takeMotion(of point: inout GPXPoint) throws(XMLScanner.Failure) -> Bool {
    if isElement("speed") {
      point.speed = try numberContent().flatMap { $0 >= 0 ? $0 : nil }
    } else if isElement("course") {
      point.course = try numberContent().flatMap { $0 >= 0 ? normalizedDegrees($0) : nil }
    } else if isElement("hAcc") {
      point.horizontalAccuracy = try numberContent().flatMap { $0 > 0 ? $0 : nil }
    } else if isElement("vAcc") {
      point.verticalAccuracy = try numberContent().flatMap { $0 > 0 ? $0 : nil }
    } else {
      return false
    }
    return true
  }

  // MARK: Contents

  /// Reads an element's text into `text`, without the space around it.
  private mutating func content() throws(XMLScanner.Failure) {
    text.removeAll(keepingCapacity: true)
    let outside = scanner.depth - 1
    while scanner.depth > outside {
      switch try scanner.next() {
      case .text(let range): try scanner.append(range, to: &text)
      case .verbatim(let range): text.append(contentsOf: scanner.bytes[range])
      case .start, .end, .endOfDocument: continue
      }
    }
    while let last = text.last, isXMLSpace(last) { text.removeLast() }
    if let first = text.first, isXMLSpace(first) {
      text.removeFirst(text.prefix(while: isXMLSpace).count)
    }
  }

  private mutating func numberContent() throws(XMLScanner.Failure) -> Double? {
    let start = scanner.tokenStart
    try content()
    guard !text.isEmpty else { return nil }
    var position = 0
    if let number = scanDecimal(text, at: &position, before: text.count, .lenient),
      position == text.count, number.isFinite
    {
      return number
    }
    warn(.invalidNumber, at: start)
    return nil
  }

  private mutating func timeContent() throws(XMLScanner.Failure) -> UnixTime? {
    let start = scanner.tokenStart
    try content()
    guard !text.isEmpty else { return nil }
    let time = UnixTime(iso8601: text.span)
    if time == nil { warn(.invalidTime, at: start) }
    return time
  }

  /// Refuses references that lead out of the document, even where the text is not used.
  private func checkText(_ range: Range<Int>) throws(XMLScanner.Failure) {
    guard scanner.bytes[range].contains(UInt8(ascii: "&")) else { return }
    var unused: [UInt8] = []
    try scanner.append(range, to: &unused)
  }

  // MARK: Names and lines

  /// Whether the current tag has the root's prefix.
  private var isOwn: Bool {
    let prefix = scanner.parts(of: scanner.name).prefix
    return scanner.bytes[prefix].elementsEqual(scanner.bytes[rootPrefix])
  }

  /// Whether the current tag has this name, whatever its prefix.
  private func isElement(_ name: StaticString) -> Bool {
    scanner.holds(scanner.parts(of: scanner.name).local, name)
  }

  private func value(of name: StaticString) -> Range<Int>? {
    scanner.attributes.first { scanner.holds($0.name, name) }?.value
  }

  private func attribute(_ name: StaticString) throws(XMLScanner.Failure) -> String? {
    guard let value = value(of: name) else { return nil }
    var text: [UInt8] = []
    try scanner.append(value, to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  private func number(_ range: Range<Int>) -> Double? {
    var (start, end) = (range.lowerBound, range.upperBound)
    while start < end, isXMLSpace(scanner.bytes[start]) { start += 1 }
    while start < end, isXMLSpace(scanner.bytes[end - 1]) { end -= 1 }
    let number = scanDecimal(scanner.bytes, at: &start, before: end, .lenient)
    return start == end ? number : nil
  }

  private func string(_ range: Range<Int>) -> String {
    String(decoding: scanner.bytes[range], as: UTF8.self)
  }

  private mutating func warn(_ cause: GPXCause, at offset: Int) {
    guard document.warnings.count < Self.mostWarnings else { return }
    document.warnings.append(GPXWarning(line: lineNumber(at: offset), cause: cause))
  }

  private mutating func fault(_ cause: GPXCause, at offset: Int) -> GPXFault {
    GPXFault(line: lineNumber(at: offset), cause: cause)
  }

  private mutating func lineNumber(at offset: Int) -> Int {
    if offset < lineOffset { (line, lineOffset) = (1, 0) }
    for byte in scanner.bytes[lineOffset..<offset] where byte == UInt8(ascii: "\n") { line += 1 }
    lineOffset = offset
    return line
  }
}

extension GPXDocument {
  /// Whether there is any point.
  package var hasPoints: Bool {
    !waypoints.isEmpty || routes.contains { !$0.isEmpty }
      || tracks.contains { $0.contains { !$0.isEmpty } }
  }
}
