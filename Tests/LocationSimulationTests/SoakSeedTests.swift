import Foundation
import LocationSimulation
import TestSupport
import Testing

@Suite("The kept seeds of the soak")
struct SoakSeedTests {
  /// The first word of each line of the list that is no comment.
  private static let seeds: [UInt64] = {
    let file = SharedData.packageRoot.appending(path: "Tests/Fixtures/soak-seeds.txt")
    let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").compactMap {
      $0.split(separator: " ").first.flatMap { UInt64($0) }
    }
  }()

  @Test("are there")
  func list() {
    #expect(Self.seeds.count >= 5)
  }

  @Test("break no rule", arguments: seeds)
  func kept(seed: UInt64) throws {
    #expect(try Soak.run(seed: seed).deliveries > 0)
  }
}
