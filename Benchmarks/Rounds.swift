import Foundation

/// How often each side of a comparison of processor time or of the time on the wall runs; the best
/// round counts. One more, which is not counted, comes first and fills the caches.
let rounds = 5

/// A measurement that contradicts itself: the run fails, and no figure of it holds.
struct InvalidMeasurement: Error {
  var text: String
}

/// The shortest of ``rounds`` rounds of each side, in seconds; the sides run in turns.
///
/// Each side does the work of one round and returns the seconds that it took, all by the same kind
/// of clock.
func bestInTurns(_ sides: [() throws -> Double]) throws -> [Double] {
  var best = sides.map { _ in Double.infinity }
  for round in 0...rounds {
    for (index, side) in sides.enumerated() {
      let seconds = try side()
      guard seconds >= 0 else { throw InvalidMeasurement(text: "a round took \(seconds) s") }
      if round > 0 { best[index] = min(best[index], seconds) }
    }
  }
  return best
}

/// The same for sides that wait.
func bestInTurns(waiting sides: [() async throws -> Double]) async throws -> [Double] {
  var best = sides.map { _ in Double.infinity }
  for _ in 0..<rounds {
    for (index, side) in sides.enumerated() { best[index] = min(best[index], try await side()) }
  }
  return best
}

/// Seconds of processor time of this process; other work on the machine lengthens it less than the
/// time on the wall.
func processorTime(of body: () throws -> Void) rethrows -> Double {
  let begin = clock()
  try body()
  return Double(clock() - begin) / Double(CLOCKS_PER_SEC)
}

/// Seconds on the wall.
func wallTime(of body: () throws -> Void) rethrows -> Double {
  try ContinuousClock().measure(body) / .seconds(1)
}

/// The least processor time of ``rounds`` rounds, in seconds, of what has no peer.
func leastProcessorTime(_ body: @escaping () throws -> Void) throws -> Double {
  try bestInTurns([{ try processorTime(of: body) }])[0]
}

/// The median of many values, with the interval that holds the true one in 95 of 100 runs.
struct MedianInterval {
  let median, low, high: Double

  /// By the order of the values alone (binomial, normal approximation); at least eight values.
  init(_ values: [Double]) {
    let sorted = values.sorted()
    let count = Double(sorted.count)
    let half = 0.98 * count.squareRoot()
    let low = max(Int(count / 2 - half), 0)
    let high = min(Int((count / 2 + half).rounded(.up)), sorted.count - 1)
    (median, self.low, self.high) = (sorted.median, sorted[low], sorted[high])
  }
}
