import Foundation
import LocationCoding
import LocationModel
import TestSupport
import Testing

@Suite("Words of the link")
struct WordTests {
  @Test("come back as they were sent, 200 of every kind of request and delivery")
  func roundTrips() throws {
    var samples = Samples(seed: 6)
    for _ in 0..<200 {
      for request in samples.requests() {
        #expect(try Request(json: JSON(parsing: request.json.bytes)) == request)
      }
      for delivery in samples.deliveries() {
        #expect(try Delivery(json: JSON(parsing: delivery.json.bytes)) == delivery)
      }
      let state = samples.state()
      #expect(try ClientState(json: JSON(parsing: state.json.bytes)) == state)
    }
  }

  @Test("are named on the wire as in the code, and described in docs/formats/link.md")
  func names() throws {
    var samples = Samples(seed: 7)
    let document = try String(
      contentsOf: SharedData.packageRoot.appending(path: "docs/formats/link.md"), encoding: .utf8)
    let words =
      samples.requests().map { (kind($0), $0.json) }
      + samples.deliveries().map { (kind($0), $0.json) }
    for (kind, json) in words {
      guard case .object(let members) = json else {
        Issue.record("\(kind) is no object")
        continue
      }
      #expect(members.map(\.name) == [kind])
      #expect(document.contains("`\(kind)`"))
    }
  }

  @Test(
    "MON-4: of a monitor have a name of letters, digits, and inner underscores",
    arguments: ["", "_home", "home_", "home/work", "home work", "Straße"])
  func monitorNames(_ name: String) throws {
    #expect(!MonitorRequest.isValid(name: name))
    #expect(throws: CodingFault.mismatch("name")) {
      try MonitorRequest(json: MonitorRequest.open(name: name).json)
    }
    let inner = MonitorRequest.open(name: "home_and_work2")
    #expect(try MonitorRequest(json: inner.json) == inner)
  }

  @Test("from a newer peer are read without what is not known")
  func newer() throws {
    var samples = Samples(seed: 8)
    for delivery in samples.deliveries() {
      let newer = extended(delivery.json)
      #expect(try Delivery(json: newer) == delivery)
    }
    for request in samples.requests() {
      #expect(try Request(json: extended(request.json)) == request)
    }
  }

  /// Adds a member that nobody knows to every object, behind those that are known.
  private func extended(_ json: JSON) -> JSON {
    switch json {
    case .object(let members):
      .object(
        members.map { JSON.Member($0.name, extended($0.value)) }
          + [JSON.Member("novelty", .object([JSON.Member("x", .integer(1))]))])
    case .array(let elements): .array(elements.map(extended))
    case .null, .bool, .integer, .unsigned, .number, .string, .written: json
    }
  }

  @Test("from an older peer are read with what was meant then")
  func older() throws {
    let start = #"{"updates":{"subscriber":3,"ask":{"start":{}}}}"#
    #expect(try Request(json: parsed(start)) == .updates(SubscriberID(3), .start(UpdateOptions())))
    let fix =
      #"{"live":{"subscriber":3,"news":{"fix":{"latitude":1,"longitude":2,"#
      + #""accuracy":5,"time":7}}}}"#
    let expected = Fix(
      coordinate: Coordinate(latitude: 1, longitude: 2), horizontalAccuracy: 5,
      time: UnixTime(nanoseconds: 7))
    #expect(try Delivery(json: parsed(fix)) == .live(SubscriberID(3), LiveUpdate(fix: expected)))
  }

  @Test("that are wrong are refused with the reason")
  func wrong() throws {
    let cases: [(String, CodingFault)] = [
      (#"{"telepathy":{}}"#, .unknownWord("telepathy")),
      (#"{"end":{}}"#, .missing("subscriber")),
      (#"{"end":{"subscriber":-1}}"#, .mismatch("subscriber")),
      (#"{"end":{"subscriber":"1"}}"#, .mismatch("subscriber")),
      (#"{"visits":{"on":1}}"#, .mismatch("on")),
      (#"{}"#, .mismatch("")),
      (#"[]"#, .mismatch("")),
      (
        #"{"live":{"subscriber":1,"ask":{"start":{"activity":"swimming"}}}}"#,
        .unknownWord("swimming")
      ),
    ]
    for (text, fault) in cases {
      #expect(throws: fault) { try Request(json: parsed(text)) }
    }
  }

  private func parsed(_ text: String) throws -> JSON { try JSON(parsing: text.utf8) }
}
