import CVirtualTime
import Testing

@testable import LocationTesting

@Suite("The layout of the runtime")
struct RuntimeLayoutTests {
  @Test("is known here")
  func known() {
    #expect(RuntimeLayout.present.refusal == nil)
    let known = virtual_time_layout(pointer: 8, version: 1, task: 208, escalates: 0)
    #expect(RuntimeLayout(known).refusal == nil)
  }

  @Test(
    "is refused in a sentence where it is another one",
    arguments: [
      [4, 1, 208, 0], [8, 2, 208, 0], [8, 0, 208, 0], [8, 1, 216, 0], [8, 1, 208, 1],
    ])
  func refused(_ words: [UInt32]) throws {
    let layout = virtual_time_layout(
      pointer: words[0], version: words[1], task: words[2], escalates: CInt(words[3]))
    let refusal = try #require(RuntimeLayout(layout).refusal)
    #expect(refusal.contains("does not know the layout"))
    #expect(refusal.contains("version \(words[1]), \(words[2]) bytes"))
    let standstill = Standstill(cause: .runtime(refusal), since: .zero, timeout: .zero)
    #expect(standstill.description == refusal)
  }
}
