import LocationModel
import LocationProviders
import Testing

@Suite("Sentences in datagrams")
struct DatagramCuttingTests {
  private let whole = sentence("GPRMC,120000.000,A,4807.038,N,01131.000,E,000.0,,040826,,,A")
    .dropLast(2)

  @Test("border 8: end with their datagram, wherever it was cut")
  func cut() {
    let bytes = Array(whole)
    for length in 1..<bytes.count {
      var receiver = NMEAReceiver()
      _ = receiver.handle(.opened, at: noon)
      let first = receiver.handle(.datagram(Array(bytes[..<length])), at: noon)
      #expect(first == [.rejected(.interrupted)], "\(length)")
      _ = receiver.handle(.datagram(Array(bytes[length...])), at: noon)
      #expect(receiver.status.sentences == 0, "\(length)")
    }
  }

  @Test("border 8: are whole without the line's end, and without a datagram behind them")
  func uncut() {
    var receiver = NMEAReceiver()
    _ = receiver.handle(.datagram(Array(whole)), at: noon)
    #expect(receiver.status.sentences == 1)
    #expect(receiver.status.rejected.isEmpty)
  }
}
