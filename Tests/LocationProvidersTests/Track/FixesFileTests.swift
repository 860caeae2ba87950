import LocationModel
import Testing

@testable import LocationProviders

@Suite("A file of recorded fixes")
struct FixesFileTests {
  private func read(_ lines: String...) -> FixesFile.Contents {
    FixesFile.read(Array(lines.joined(separator: "\n").utf8))
  }

  @Test("gives back what watch prints")
  func everything() throws {
    let contents = read(
      #"{"type":"update","date":"2024-01-01T00:00:00.250Z","latitude":1.5,"longitude":-2.5,"#
        + #""horizontal_accuracy":3,"altitude":-4,"vertical_accuracy":5,"speed":6,"#
        + #""speed_accuracy":7,"course":8,"course_accuracy":9,"stationary":false,"#
        + #""simulated":true}"#)
    #expect(contents.faults == [])
    let fix = try #require(contents.fixes.first)
    #expect(fix.time == UnixTime(milliseconds: 1_704_067_200_250))
    #expect(fix.coordinate == Coordinate(latitude: 1.5, longitude: -2.5))
    #expect(fix.horizontalAccuracy == 3)
    #expect(fix.altitude == -4)
    #expect(fix.verticalAccuracy == 5)
    #expect(fix.speed == 6 && fix.speedAccuracy == 7)
    #expect(fix.course == 8 && fix.courseAccuracy == 9)
    #expect(fix.origin.isSimulated)
  }

  @Test("takes what is missing, null, or negative for unknown")
  func unknown() throws {
    let place = #"{"date":"2024-01-01T00:00:00Z","latitude":0,"longitude":0"#
    let contents = read(
      place + "}", place + #","altitude":null,"speed":-1,"course":-1,"vertical_accuracy":-1}"#)
    #expect(contents.fixes.count == 2)
    for fix in contents.fixes {
      #expect(fix.horizontalAccuracy == FixesFile.standardAccuracy)
      #expect(fix.altitude == nil && fix.verticalAccuracy == nil)
      #expect(fix.speed == nil && fix.course == nil)
      #expect(!fix.origin.isSimulated)
    }
  }

  @Test("passes over other lines, and says which line is wrong and why")
  func faults() {
    let contents = read(
      #"{"type":"visit","latitude":1}"#, "", "  ", "{", #"{"latitude":1,"longitude":2}"#,
      #"{"date":"today","latitude":1,"longitude":2}"#,
      #"{"date":"2024-01-01T00:00:00Z","latitude":1}"#,
      #"{"date":"2024-01-01T00:00:00Z","latitude":91,"longitude":2}"#,
      #"{"date":"2024-01-01T00:00:00Z","latitude":90,"longitude":2}"#)
    #expect(contents.fixes.count == 1)
    #expect(
      contents.faults == [
        FixesFile.Fault(line: 4, cause: .malformed(.truncated)),
        FixesFile.Fault(line: 5, cause: .noDate), FixesFile.Fault(line: 6, cause: .noDate),
        FixesFile.Fault(line: 7, cause: .noCoordinate),
        FixesFile.Fault(line: 8, cause: .invalidCoordinate),
      ])
    #expect(contents.faults.last?.description == "line 8: latitude or longitude is out of range")
    let other = read("root:x:0:0", "\u{7f}").faults.map(\.description)
    #expect(other.first == "line 1: not a JSON object (“r” at byte 1)")
    #expect(other.last == "line 2: not a JSON object (the value 127 at byte 1)")
  }
}
