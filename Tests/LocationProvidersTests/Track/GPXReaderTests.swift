import LocationModel
import Testing

@testable import LocationProviders

@Suite("The GPX reader")
struct GPXReaderTests {
  private func read(_ text: String) throws(GPXFault) -> GPXDocument {
    try GPXReader.read(Array(text.utf8))
  }

  private func track(_ points: String) -> String {
    "<?xml version=\"1.0\"?>\n<gpx version=\"1.1\" creator=\"test\">\n<trk><trkseg>\n\(points)\n"
      + "</trkseg></trk></gpx>"
  }

  @Test("reads waypoints, routes, and tracks by segment")
  func structure() throws {
    let document = try read(
      """
      <gpx version="1.0" creator="A &amp; B&#233;"><time>2024-01-01T00:00:00Z</time>
      <wpt lat="1" lon="2"><name>x &lt; y</name></wpt>
      <rte><name>r</name><rtept lat="3" lon="4"/><rtept lat="5" lon="6"></rtept></rte><rte/>
      <trk><trkseg/><trkseg><trkpt lat='+7.5' lon=' -8 '><ele> 9.5 </ele>
      <time>2024-01-01T01:00:00.5+01:00</time><speed>2</speed><course>361</course></trkpt>
      </trkseg></trk></gpx>
      """)
    #expect(document.version == "1.0")
    #expect(document.creator == "A & Bé")
    #expect(document.waypoints.map(\.coordinate.latitude) == [1])
    #expect(document.routes.map { $0.map(\.coordinate.longitude) } == [[4, 6], []])
    #expect(document.tracks.map { $0.map(\.count) } == [[0, 1]])
    let point = try #require(document.tracks.last?.last?.last)
    #expect(point.coordinate == Coordinate(latitude: 7.5, longitude: -8))
    #expect(point.elevation == 9.5)
    #expect(point.time == UnixTime(milliseconds: 1_704_067_200_500))
    #expect(point.speed == 2)
    #expect(point.course == 1)
    #expect(document.warnings == [])
  }

  @Test("takes speed, course, and accuracy from extensions, and skips everything else there")
  func extensions() throws {
    let document = try read(
      track(
        """
        <trkpt lat="1" lon="2"><extensions><g:TrackPointExtension xmlns:g="x"><g:hr>111</g:hr>
        <g:speed>3.5</g:speed><g:course>90</g:course><g:time>never</g:time><trkpt lat="x"/>
        </g:TrackPointExtension><hAcc>4</hAcc><vAcc>6</vAcc></extensions><ele>5</ele></trkpt>
        """))
    let point = try #require(document.tracks.first?.first?.first)
    #expect(point.speed == 3.5)
    #expect(point.course == 90)
    #expect(point.horizontalAccuracy == 4)
    #expect(point.verticalAccuracy == 6)
    #expect(point.elevation == 5)
    #expect(document.warnings == [])
  }

  @Test("knows GPX by the root's prefix, and nobody else's elements")
  func namespaces() throws {
    let document = try read(
      """
      <g:gpx xmlns:g="http://www.topografix.com/GPX/1/1"><g:wpt lat="1" lon="2">
      <o:ele>7</o:ele><g:ele>8</g:ele></g:wpt><o:wpt lat="3" lon="4"/><wpt lat="5" lon="6"/></g:gpx>
      """)
    #expect(document.waypoints.map(\.coordinate.latitude) == [1])
    #expect(document.waypoints.first?.elevation == 8)
  }

  @Test("passes over comments, instructions, and CDATA, also within a value")
  func markup() throws {
    let document = try read(
      """
      <?xml version="1.0"?><!-- <wpt> --><!DOCTYPE gpx><gpx><?a <wpt> ?><![CDATA[<wpt>]]>
      <wpt lat="1" lon="2"><ele>1<!-- 9 -->2<![CDATA[.5]]>&#48;</ele></wpt></gpx>
      """)
    #expect(document.waypoints.map(\.elevation) == [12.5])
  }

  @Test("reads every encoding it promises")
  func encodings() throws {
    let text =
      "<?xml version=\"1.0\" encoding=\"@\"?><gpx creator=\"é\"><wpt lat=\"1\" lon=\"2\"/></gpx>"
    let utf8 = Array(text.replacing("@", with: "utf-8").utf8)
    let latin = text.replacing("@", with: "ISO-8859-1").unicodeScalars.map { UInt8($0.value) }
    let big = text.replacing("@", with: "UTF-16").utf16.flatMap {
      [UInt8($0 >> 8), UInt8($0 & 0xff)]
    }
    let little = text.replacing("@", with: "UTF-16").utf16.flatMap {
      [UInt8($0 & 0xff), UInt8($0 >> 8)]
    }
    for bytes in [
      utf8, [0xef, 0xbb, 0xbf] + utf8, latin, big, little, [0xfe, 0xff] + big,
      [0xff, 0xfe] + little,
    ] {
      let document = try GPXReader.read(bytes)
      #expect(document.creator == "é")
      #expect(document.waypoints.count == 1)
    }
    #expect(throws: GPXFault(line: 1, cause: .broken(.unknownEncoding("koi8-r")))) {
      try read("<?xml version='1.0' encoding='koi8-r'?><gpx/>")
    }
  }

  @Test("leaves out points without a valid place, with count and line")
  func invalidPoints() throws {
    let document = try read(
      track(
        """
        <trkpt lat="91" lon="0"/>
        <trkpt lat="nan" lon="0"/>
        <trkpt lat="1" lon="180.5"/>
        <trkpt lat="47,1" lon="9"/>
        <trkpt lat="1"><time>2024-01-01T00:00:00Z</time></trkpt>
        <trkpt lat="1" lon="2"><time>yesterday</time><ele>high</ele><speed/></trkpt>
        """))
    #expect(document.rejectedPoints == 5)
    #expect(document.tracks.first?.first?.count == 1)
    #expect(
      document.warnings == [
        GPXWarning(line: 4, cause: .invalidCoordinate),
        GPXWarning(line: 5, cause: .invalidCoordinate),
        GPXWarning(line: 6, cause: .invalidCoordinate),
        GPXWarning(line: 7, cause: .invalidCoordinate),
        GPXWarning(line: 8, cause: .missingCoordinate),
        GPXWarning(line: 9, cause: .invalidTime),
        GPXWarning(line: 9, cause: .invalidNumber),
      ])
  }

  @Test("keeps the points before the damage, with a warning")
  func damage() throws {
    let document = try read("<gpx>\n<wpt lat=\"1\" lon=\"2\"/>\n<wpt lat=\"3\" lo")
    #expect(document.waypoints.count == 1)
    #expect(document.warnings == [GPXWarning(line: 3, cause: .broken(.truncated))])
  }

  @Test("tells of what follows the end, as in files joined to one")
  func joined() throws {
    let document = try read("<gpx><wpt lat='1' lon='2'/></gpx>\n<gpx><wpt lat='3' lon='4'/></gpx>")
    #expect(document.waypoints.count == 1)
    #expect(document.warnings == [GPXWarning(line: 2, cause: .afterEnd)])
    let whole = try read("<gpx><wpt lat='1' lon='2'/></gpx>\n<!-- a comment --> \n")
    #expect(whole.warnings.isEmpty)
  }

  @Test("ends every file cut short in an error or a warning, wherever it is cut")
  func truncation() {
    let text = track("<trkpt lat=\"1\" lon=\"2\"><ele>5</ele></trkpt><trkpt lat=\"3\" lon=\"4\"/>")
    for length in 1..<text.utf8.count {
      let document = try? GPXReader.read(Array(text.utf8.prefix(length)))
      #expect(document.map { !$0.warnings.isEmpty } ?? true, "cut at \(length)")
    }
  }

  @Test(
    "says what is wrong with a file it cannot read, and where",
    arguments: [
      ("", 1, .empty), (" \n ", 1, .empty), ("<kml/>", 1, .notGPX(root: "kml")),
      ("hello", 1, .notGPX(root: "text")), ("<!-- -->", 1, .notGPX(root: "")),
      ("<gpx>\n<trk></gpx>", 2, .broken(.mismatchedTag)), ("<gpx>\n", 2, .broken(.truncated)),
      ("<gpx a=b/>", 1, .broken(.unexpected(0x62))), ("<gpx <", 1, .broken(.unexpected(0x3c))),
      ("<gpx><a>&b;</a></gpx>", 1, .broken(.undefinedEntity)),
      ("<gpx><a>&#xd800;</a></gpx>", 1, .broken(.undefinedEntity)),
      ("\n<!DOCTYPE gpx [<!ENTITY a 'b'>]><gpx/>", 2, .broken(.entityDeclaration)),
      ("<gpx><!x></gpx>", 1, .broken(.unexpected(0x21))),
    ] as [(String, Int, GPXCause)])
  func faults(text: String, line: Int, cause: GPXCause) {
    #expect(throws: GPXFault(line: line, cause: cause)) { try read(text) }
    #expect(GPXFault(line: line, cause: cause).description.hasPrefix("line \(line): "))
  }

  @Test("stops at a depth and keeps a bounded list of warnings")
  func bounds() throws {
    let deep = "<gpx>" + String(repeating: "<a>", count: 10_000)
    #expect(throws: GPXFault(line: 1, cause: .broken(.tooDeep))) { try read(deep) }
    let wrong = try read(track(String(repeating: "<trkpt/>", count: 500)))
    #expect(wrong.rejectedPoints == 500)
    #expect(wrong.warnings.count == GPXReader.mostWarnings)
  }
}
