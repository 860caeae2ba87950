import LocationProviders
import TestSupport
import Testing

@Suite("A line of a fix")
struct FleetLineTests {
  private func reason(_ members: String, in bytes: [UInt8]? = nil) -> FleetLine.Reason? {
    let line = #"{"device":"a","date":"2026-01-05T08:00:00Z","latitude":1,"longitude":1"#
    do throws(FleetLine.Reason) {
      _ = try FleetLine(bytes ?? Array((line + members + "}").utf8))
      return nil
    } catch { return error }
  }

  @Test("FLEET-135: a line that is no UTF-8 is malformed, wherever the byte is")
  func invalidText() {
    let line = Array(
      #"{"device":"f","date":"2026-01-05T08:00:00Z","latitude":1,"longitude":1,"é":"ü"}"#.utf8)
    #expect(reason("", in: line) == nil)
    let name = 11
    for byte in [0x80, 0xC3, 0xFE, 0xFF] as [UInt8] {
      // The second byte of the last letter, which 0x80 would be, too.
      for place in [name, line.count - 3] where place == name || byte != 0x80 {
        var copy = line
        copy[place] = byte
        #expect(reason("", in: copy) == .malformed, "\(byte) at \(place)")
      }
    }
  }

  @Test(
    "FLEET-140: an accuracy, a speed, a course, or an altitude that is no number is malformed",
    arguments: ["horizontal_accuracy", "speed", "course", "altitude"])
  func wrongNumbers(key: String) {
    for value in [#""bad""#, #""8""#, "true", "[8]", "{}"] {
      #expect(reason(",\"\(key)\":\(value)") == .malformed, "\(value)")
    }
    for value in ["8", "-1", "0", "null", "nan"] {
      #expect(reason(",\"\(key)\":\(value)") == nil, "\(value)")
    }
  }

  @Test(
    "FLEET-150: an accuracy, a speed, or an altitude that nothing near the earth has is of no fix",
    arguments: [
      ("horizontal_accuracy", "20037508", "20037509"), ("horizontal_accuracy", "-1e300", "1e300"),
      ("speed", "11200", "11200.5"), ("speed", "-1e300", "1e300"),
      ("altitude", "50000000", "50000001"), ("altitude", "-6378137", "-6378138"),
    ])
  func range(key: String, last: String, first: String) {
    #expect(reason(",\"\(key)\":\(last)") == nil)
    #expect(reason(",\"\(key)\":\(first)") == .range)
  }

  @Test("FLEET-135: each reason has a cause for people")
  func causes() {
    for reason in FleetLine.Reason.allCases {
      #expect(reason.text.hasPrefix("\(reason.rawValue): ") && reason.text.count > 20)
    }
  }
}
