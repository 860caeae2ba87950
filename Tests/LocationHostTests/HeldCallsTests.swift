import LocationHost
import Testing

@Suite("Calls on the bus that wait for an answer")
struct HeldCallsTests {
  private var held = HeldCalls<String>()

  @Test("GEOCLUE-18: a call that wants no answer has a number, and takes no room")
  mutating func unanswered() throws {
    for _ in 0..<10_000 {
      let added = held.add("Start", of: ":1.7", wantsAnswer: false)
      let number = try #require(added)
      #expect(held.take(number) == nil)
    }
    #expect(held.count == 0)
    #expect(held.add("GetClient", of: ":1.8", wantsAnswer: true) == 10_001)
    #expect(held.take(10_001) == "GetClient")
    #expect(held.take(10_001) == nil)
  }

  @Test("GEOCLUE-18: there is no room for more calls than the bound, until one is answered")
  mutating func full() {
    for number in 1...HeldCalls<String>.most {
      #expect(held.add("Start", of: ":1.7", wantsAnswer: true) == number)
    }
    #expect(held.add("Start", of: ":1.7", wantsAnswer: true) == nil)
    #expect(held.add("Start", of: ":1.7", wantsAnswer: false) != nil)
    #expect(held.take(1) == "Start")
    #expect(held.add("Start", of: ":1.7", wantsAnswer: true) != nil)
  }

  @Test("GEOCLUE-12: the calls of a connection that goes are removed, in their order")
  mutating func gone() {
    _ = held.add("a", of: ":1.7", wantsAnswer: true)
    _ = held.add("b", of: ":1.8", wantsAnswer: true)
    _ = held.add("c", of: ":1.7", wantsAnswer: true)
    #expect(held.drop(of: ":1.7") == ["a", "c"])
    #expect(held.take(1) == nil)
    #expect(held.dropAll() == ["b"])
    #expect(held.count == 0)
  }
}
