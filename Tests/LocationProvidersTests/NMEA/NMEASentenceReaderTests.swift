import LocationProviders
import Testing

@Suite("The NMEA sentence reader")
struct NMEASentenceReaderTests {
  private var reader = NMEASentenceReader()

  private mutating func events(_ bytes: [UInt8]) -> [NMEASentenceReader.Event] {
    var index = 0
    var events: [NMEASentenceReader.Event] = []
    while let event = reader.next(in: bytes, from: &index) { events.append(event) }
    return events
  }

  private mutating func events(_ text: String) -> [NMEASentenceReader.Event] {
    events(Array(text.utf8))
  }

  @Test("reports a sentence with the second digit of its sum, before the line's end")
  mutating func atSum() {
    #expect(events("$GPGLL,1*4") == [])
    #expect(events("D") == [.sentence])
    #expect(reader.line.fieldCount == 2)
  }

  @Test("takes sums in lower case")
  mutating func lowerCaseSum() {
    #expect(events("$GPGLL,1*4d\n") == [.sentence])
  }

  @Test("rejects a sentence whose sum is wrong, or is no sum")
  mutating func wrongSum() {
    #expect(events("$GPGLL,1*5E\r\n") == [.rejected(.checksumMismatch)])
    #expect(events("$GPGLL,1*G0\r\n") == [.rejected(.checksumMalformed)])
    #expect(events("$GPGLL,1*5\r\n") == [.rejected(.checksumMalformed)])
  }

  @Test("takes sentences without a sum until the receiver has sent one with it")
  mutating func withoutSum() {
    #expect(events("$GPGLL,1\r\n") == [.sentence])
    #expect(events("$GPGLL,1*4D\r\n$GPGLL,1\r\n") == [.sentence, .rejected(.checksumMissing)])
  }

  @Test("gives up a torn sentence when the next begins, and reads that")
  mutating func torn() {
    let whole = "$GPGLL,1*4D\r\n"
    #expect(events("$GPRMC,19322" + whole) == [.rejected(.interrupted), .sentence])
    #expect(events("$GPRMC*" + whole) == [.rejected(.interrupted), .sentence])
    #expect(events("$GPRMC*1" + whole) == [.rejected(.interrupted), .sentence])
  }

  @Test("finds sentences between binary, and counts what it passes over")
  mutating func mixed() {
    let binary: [UInt8] = [0xb5, 0x62, 0x01, 0x07, 0x00, 0xff]
    #expect(events(binary + sentence("GPGLL,1") + binary + sentence("GPGLL,2")).count == 2)
    #expect(reader.skippedBinary == 10)
    #expect(reader.skippedText == 6)
  }

  @Test("gives up a sentence with a byte that is no text")
  mutating func garbled() {
    #expect(events(Array("$GPG".utf8) + [0x80]) == [.rejected(.garbled)])
    #expect(events("LL,1*4D\r\n") == [])
  }

  @Test("gives up a sentence without end")
  mutating func tooLong() {
    let long = [UInt8](repeating: UInt8(ascii: ","), count: 5000)
    #expect(events([UInt8(ascii: "$")] + long) == [.rejected(.tooLong)])
    #expect(events(sentence("GPGLL,1")) == [.sentence])
  }

  @Test("reads sentences longer than the 82 bytes of the standard")
  mutating func long() {
    let text = "GNTXT," + String(repeating: "x", count: 300)
    #expect(events(sentence(text)) == [.sentence])
  }
}
