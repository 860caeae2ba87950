import LocationCoding
import LocationModel
import LocationSecrets
import TestSupport
import Testing

@testable import LocationFleet

@Suite("What a sink hands on")
struct SinkEventTests {
  private func message(
    _ text: String, subject: String = "evt.0.acme.truck-1.entered", sequence: UInt64 = 1
  ) -> LogMessage {
    LogMessage(
      sequence: sequence, time: FleetWalk.start,
      entry: LogEntry(subject: subject, bytes: Array(text.utf8)))
  }

  @Test("FLEET-39: an event is a CloudEvent whose data is the line that is kept")
  func cloudEvent() throws {
    let line = SinkBench.line(2, of: 1, "entered")
    let event = try #require(SinkEvent(message(line + "\n"), partition: 0))
    let text = String(decoding: event.json, as: UTF8.self)
    #expect(text.hasPrefix(#"{"type":"meridian.fence.entered.v1","specversion":"1.0","id":""#))
    #expect(text.contains(#""source":"/fleet/acme","subject":"truck-1","time":""#))
    #expect(text.hasSuffix(#""data":\#(line)}"#))
    #expect(event.id.utf8.count == 32 && event.fence == "depot" && event.accuracy == 8)
  }

  @Test("FLEET-39: the same event has the same id wherever it is kept, and another one another")
  func identity() throws {
    let line = SinkBench.line(2, of: 1, "entered")
    let first = try #require(SinkEvent(message(line), partition: 0))
    let again = try #require(SinkEvent(message(line, sequence: 77), partition: 3))
    #expect(first.id == again.id)
    for other in [SinkBench.line(3, of: 1, "entered"), SinkBench.line(2, of: 1, "exited")] {
      #expect(try #require(SinkEvent(message(other), partition: 0)).id != first.id)
    }
    // The same names cut elsewhere are another device.
    let cut = try #require(
      SinkEvent(message(line, subject: "evt.0.acm.etruck-1.entered"), partition: 0))
    #expect(cut.id != first.id)
  }

  @Test("FLEET-39: what concerns a whole partition is an event of no device")
  func gap() throws {
    let text = #"{"type":"gap","partition":0,"first":1,"last":49}"#
    let event = try #require(SinkEvent(message(text, subject: "evt.0.-.gap"), partition: 0))
    let json = String(decoding: event.json, as: UTF8.self)
    #expect(json.contains(#""type":"meridian.fleet.gap.v1""#) && !json.contains("subject"))
    #expect(json.contains(#""source":"/fleet","#))
  }

  @Test("FLEET-42: what is no event is none", arguments: ["", "{", "[]", #"{"type":"A"}"#, "null"])
  func torn(text: String) {
    #expect(SinkEvent(message(text), partition: 0) == nil)
  }

  @Test("FLEET-45: HMAC-SHA256 gives the codes of RFC 4231, SHA-256 that of FIPS 180-2")
  func digests() {
    let code = MessageDigest.code(
      of: Array("Hi There".utf8), key: Array(repeating: 0x0b, count: 20))
    #expect(
      MessageDigest.hexadecimal(code)
        == "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7")
    #expect(
      MessageDigest.hexadecimal(MessageDigest.sha256(Array("abc".utf8)))
        == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
  }

  @Test(
    "FLEET-48: a secret is one or two lines of whsec_ and 24 to 64 bytes in base64",
    arguments: [
      ("whsec_" + String(repeating: "A", count: 32), true),
      ("whsec_" + String(repeating: "A", count: 32) + "\n", true),
      ("whsec_" + String(repeating: "A", count: 28), false),
      (String(repeating: "A", count: 32), false), ("whsec_!!!", false), ("", false),
    ])
  func secrets(text: String, isGood: Bool) {
    #expect((WebhookSecret(Array(text.utf8)) != nil) == isGood)
  }

  @Test(
    "FLEET-45: what a webhook answers decides whether an event is confirmed, refused, or tried again"
  )
  func answers() {
    func outcome(_ status: Int, _ code: Int = 0, _ after: Int? = nil) -> DeliveryOutcome {
      WebhookAnswer.outcome(status: status, code: code, retryAfter: after)
    }
    for status in [200, 202, 204] { #expect(outcome(status) == .confirmed) }
    for status in [400, 401, 404, 410, 422] {
      #expect(outcome(status) == .refused("status \(status)"))
    }
    for status in [408, 425, 500, 502] {
      #expect(outcome(status) == .failed("status \(status)", after: nil))
    }
    for status in [429, 503] {
      #expect(outcome(status, 0, 7) == .unreachable("status \(status)", after: .seconds(7)))
    }
    #expect(outcome(302) == .unreachable("status 302, a redirect", after: nil))
    #expect(outcome(0, 28) == .failed("no answer in time", after: nil))
    #expect(outcome(0, 7) == .unreachable("nobody listens", after: nil))
  }

  @Test("FLEET-47: an entry is a transition of OwnTracks")
  func transition() throws {
    let line = SinkBench.line(2, of: 1, "entered")
    let event = try #require(SinkEvent(message(line), partition: 0))
    #expect(OwnTracksTransition.topic(of: event) == "fleet/acme/truck-1/event")
    let text = String(decoding: OwnTracksTransition.payload(of: event), as: UTF8.self)
    #expect(
      text.hasPrefix(
        #"{"_type":"transition","event":"enter","desc":"depot","tid":"-1","tst":"#))
  }
}
