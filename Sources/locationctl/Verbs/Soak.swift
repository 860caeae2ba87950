import LocationModel
import LocationSimulation

extension Verb {
  private static let firstSeed = Option(
    name: "seed", value: .wholeNumber("N", 0...1_000_000_000),
    summary: "The first seed; 1 unless given")
  private static let runs = Option(
    name: "runs", value: .wholeNumber("M", 1...1_000_000_000),
    summary: "How many worlds; 100 unless given")

  static let soak = Verb(
    name: "soak", summary: "Run random worlds with faults, and check the rules that must hold",
    details: ["Each world is made from one seed; a seed that fails is printed, and fails again."],
    options: [firstSeed, runs],
    examples: ["locationctl soak --seed 1 --runs 1000"],
    run: { invocation in
      let first = invocation.wholeNumber(firstSeed) ?? 1
      let count = invocation.wholeNumber(runs) ?? 100
      var failures = 0
      var hours = 0.0
      let progress = Progress("running random worlds")
      defer { progress.end() }
      for seed in first..<(first + count) {
        progress.say("world \(seed - first + 1) of \(count), seed \(seed)")
        do throws(LocationSimulation.Soak.Violation) {
          hours += try LocationSimulation.Soak.run(seed: UInt64(seed)).simulated.inSeconds / 3600
        } catch {
          failures += 1
          Output.error.line("\(error)")
        }
      }
      progress.end()
      Output.standard.line("\(count) worlds, \(Int(hours)) h: \(failures) broke a rule")
      guard failures == 0 else {
        throw Failure.refused("\(failures) of \(count) worlds broke a rule", next: nil)
      }
    })
}
