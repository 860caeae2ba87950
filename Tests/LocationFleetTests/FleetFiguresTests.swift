import LocationModel
import Testing

@testable import LocationFleet

@Suite("The figures of a fleet's worker")
struct FleetFiguresTests {
  private static func sum(_ counts: [ExactName: [String: Int]]) -> Int {
    counts.values.reduce(0) { $0 + $1.values.reduce(0, +) }
  }

  @Test(
    "FLEET-128: a worker that judges fixes anew, as it took a partition over again, counts each once"
  )
  func countedOnce() throws {
    let base = try FleetBench(seed: 5, devices: 4, fixes: 50)
    var anew = 0
    for call in stride(from: 1, to: 220, by: 3) {
      var bench = base.fresh()
      try bench.publishFences()
      var broker = MemoryBroker(bench.logs, death: call, done: 1)
      broker.silence = 3
      var worker = bench.worker("a")
      for step in 0..<2000 where !bench.isDone(worker) {
        // Another one writes, so that all that was not stored is judged anew.
        if step == 12 { Self.writeAgain(bench.logs) }
        bench.turn(&worker, &broker)
      }
      let figures = worker.figures(at: bench.moment)
      anew += figures.takeovers - 1
      #expect(Self.sum(figures.judged.fixes) == 200, "call \(call)")
      let marks = bench.logs.messages(.events(0)).filter { !$0.entry.subject.hasSuffix("mark") }
      #expect(Self.sum(figures.judged.events) == marks.count, "call \(call)")
    }
    #expect(anew > 20, "nothing was judged anew")
  }

  /// Puts the checkpoint as it is once more: its owner finds that it is not its own.
  private static func writeAgain(_ logs: MemoryLogs) {
    guard
      let found = logs.messages(.state(0)).first(where: {
        $0.entry.subject == FleetAddress.checkpoint(of: 0)
      })
    else { return }
    _ = logs.add(found.entry, to: .state(0))
  }

  @Test(
    "FLEET-128: a successor counts neither the fixes before the newest event nor the events that are there"
  )
  func countedBefore() throws {
    var bench = try FleetBench(seed: 5, devices: 4, fixes: 50)
    try bench.publishFences()
    var first = MemoryBroker(bench.logs)
    var worker = bench.worker("a")
    for _ in 0..<12 { bench.turn(&worker, &first) }
    let events = bench.logs.messages(.events(0))
    let newest = try #require(events.last?.entry.mark?.input)
    var second = MemoryBroker(bench.logs)
    var successor = bench.worker("b")
    for _ in 0..<2000 where !bench.isDone(successor) { bench.turn(&successor, &second) }
    let figures = successor.figures(at: bench.moment)
    #expect(Self.sum(figures.judged.fixes) <= 200 - Int(newest) + 1)
    let all = bench.logs.messages(.events(0)).count
    #expect(Self.sum(figures.judged.events) == all - events.count)
  }
}
