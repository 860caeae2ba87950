import Foundation
import LocationModel
import LocationProviders
import TestSupport
import Testing

/// However a stream is cut into reads, the receiver says the same.
@Suite(
  "NMEA torn at any byte",
  .enabled(if: !ReceiverLogs.all.isEmpty, "\(ReceiverLogs.areMissing)"))
struct NMEACuttingTests {
  private struct Result: Equatable {
    var outputs: [NMEAReceiver.Output] = []
    var status = NMEAReceiverStatus()
  }

  /// What the receiver says when the bytes come in pieces that end at `cuts`.
  private func result(_ bytes: [UInt8], cuts: some Sequence<Int>) -> Result {
    var receiver = NMEAReceiver()
    var result = Result()
    var start = 0
    for end in cuts {
      result.outputs += receiver.handle(.bytes(Array(bytes[start..<end])), at: noon)
      start = end
    }
    result.outputs += receiver.handle(.bytes(Array(bytes[start...])), at: noon)
    result.outputs += receiver.handle(.closed, at: noon)
    result.status = receiver.status
    return result
  }

  private func recordings() throws -> [(name: String, bytes: [UInt8])] {
    try ReceiverLogs.distinct() + GpsdCorpus.otherLogs()
  }

  @Test("every recording reads the same byte by byte, and in random pieces")
  func pieces() throws {
    var random = SeededRandom(seed: 20)
    for (name, bytes) in try recordings() {
      let whole = result(bytes, cuts: [])
      #expect(result(bytes, cuts: 1..<bytes.count) == whole, "\(name), byte by byte")
      let cuts = (1..<bytes.count).filter { _ in Int.random(in: 0..<40, using: &random) == 0 }
      #expect(result(bytes, cuts: cuts) == whole, "\(name), in \(cuts.count + 1) random pieces")
    }
  }

  @Test("every recording up to 20 kB reads the same when cut at every position, 64 bytes apart")
  func everyPosition() throws {
    let recordings = try recordings().filter { $0.bytes.count <= 20_000 }
    #expect(recordings.count > 80)
    for (name, bytes) in recordings {
      let whole = result(bytes, cuts: [])
      for first in 1...64 {
        let cuts = stride(from: first, to: bytes.count, by: 64)
        #expect(result(bytes, cuts: cuts) == whole, "\(name), cut at \(first) and so on")
      }
    }
  }

  @Test("every recording up to 1.5 kB reads the same in any two pieces")
  func twoPieces() throws {
    let recordings = try recordings().filter { $0.bytes.count <= 1_500 }
    #expect(recordings.count > 10)
    for (name, bytes) in recordings {
      let whole = result(bytes, cuts: [])
      for cut in 1..<bytes.count {
        #expect(result(bytes, cuts: [cut]) == whole, "\(name), cut at \(cut)")
      }
    }
  }
}
