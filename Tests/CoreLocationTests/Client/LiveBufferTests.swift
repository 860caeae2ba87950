import LocationModel
import Testing

@testable import CoreLocation

@Suite("What a loop has not read yet")
struct LiveBufferTests {
  private var buffer = LiveBuffer()

  private func update(_ number: Int, _ diagnostics: Diagnostics = []) -> LiveUpdate {
    let place = Coordinate(latitude: Double(number) / 10, longitude: 0)
    let fix = Fix(
      coordinate: place, horizontalAccuracy: 5, time: UnixTime(seconds: Double(number)))
    return LiveUpdate(fix: fix, diagnostics: diagnostics)
  }

  private mutating func add(_ update: LiveUpdate) {
    #expect(buffer.add(update) == nil)
  }

  /// What would be read now, oldest first.
  private mutating func readAll(_ count: Int) async -> [LiveUpdate] {
    var read: [LiveUpdate] = []
    for _ in 0..<count {
      let next: LiveUpdate? = await withUnsafeContinuation { continuation in
        continuation.resume(returning: buffer.read(continuation) ?? nil)
      }
      if let next { read.append(next) }
    }
    return read
  }

  @Test("LIVE-30, LIVE-32: is kept in order, and gives up the oldest plain location past 64")
  mutating func bound() async {
    for number in 0..<80 { add(update(number)) }
    let read = await readAll(65)
    // The first is a change, as nothing came before it; of the 79 plain ones the newest 64 stay.
    #expect(read.map(\.fix?.time) == ([0] + Array(16..<80)).map { update($0).fix?.time })
  }

  @Test("LIVE-31: never gives up a changed diagnostic or a change of stillness")
  mutating func changes() async {
    add(update(0))
    add(update(1, .accuracyLimited))
    add(LiveUpdate(fix: nil, diagnostics: .locationUnavailable))
    add(update(2))
    var still = update(3)
    still.stationary = true
    add(still)
    for number in 4..<200 { add(update(number)) }
    let read = await readAll(6 + 64)
    #expect(read.count == 6 + 64)
    #expect(read[1].diagnostics == .accuracyLimited)
    #expect(read[2].fix == nil)
    #expect(read[4].stationary)
    #expect(read[5] == update(4))
    #expect(read.last == update(199))
  }
}
