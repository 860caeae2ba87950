import LocationModel
import Testing

@testable import LocationFleet

@Suite("Messages that wait to be kept")
struct AwaitedMessagesTests {
  private var awaited = AwaitedMessages<String>(for: .seconds(5))

  @Test("FLEET-36: of what was answered nothing is kept, also when nothing ever expires")
  mutating func memory() {
    for number in 1...10_000 as ClosedRange<UInt64> {
      awaited.add([number], of: "a", at: .start)
      let done = awaited.settle(number, isKept: true)
      #expect(done != nil && awaited.remembered == 1)
    }
  }

  @Test("FLEET-36: who sent several messages is answered when all of them are kept")
  mutating func several() {
    awaited.add([1, 2], of: "a", at: .start)
    awaited.add([3], of: "b", at: .start)
    #expect(awaited.count == 3)
    #expect(awaited.settle(2, isKept: true) == nil)
    let other = awaited.settle(3, isKept: true)
    #expect(other?.origin == "b" && other?.isKept == true)
    let both = awaited.settle(1, isKept: true)
    #expect(both?.origin == "a" && both?.isKept == true)
    #expect(awaited.settle(1, isKept: true) == nil && awaited.count == 0)
  }

  @Test("FLEET-36: if one of several is not kept, then what was sent is not")
  mutating func oneFails() {
    awaited.add([1, 2], of: "a", at: .start)
    #expect(awaited.settle(1, isKept: false) == nil)
    #expect(awaited.settle(2, isKept: true)?.isKept == false)
  }

  @Test(
    "FLEET-36: what nothing is said of is given up in time, and an answer after that is nothing")
  mutating func expires() {
    for number in 1...10_000 as ClosedRange<UInt64> {
      awaited.add([number], of: "\(number)", at: .start + .seconds(Double(number) / 1000))
      if number % 2 == 0 { _ = awaited.settle(number, isKept: true) }
    }
    #expect(awaited.expire(at: .start + .seconds(5)).isEmpty)
    #expect(awaited.expire(at: .start + .seconds(6)).count == 500)
    #expect(awaited.settle(1, isKept: true) == nil)
    #expect(awaited.settle(9_999, isKept: true)?.origin == "9999")
    #expect(awaited.expire(at: .start + .seconds(100)).count == 4499)
    #expect(awaited.count == 0)
  }
}
