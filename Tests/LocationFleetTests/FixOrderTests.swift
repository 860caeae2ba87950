import LocationModel
import TestSupport
import Testing

@testable import LocationFleet

@Suite("The order of a device's fixes")
struct FixOrderTests {
  private let limit = FleetWalk.start + .seconds(86_400)

  private func fix(_ seconds: Double, east: Double = 0, accuracy: Double = 8) -> Fix {
    Fix(
      coordinate: FleetWalk.place(east: east, north: 0), horizontalAccuracy: accuracy,
      time: FleetWalk.start + .seconds(seconds))
  }

  private func take(
    _ order: inout FixOrder, _ fix: Fix, window: Double = 0, received: Double? = nil
  ) -> [FixOrder.Output] {
    order.take(
      fix, received: received.map { FleetWalk.start + .seconds($0) }, limit: limit,
      window: window)
  }

  @Test("FLEET-4: what is not handed on has a reason")
  func reasons() {
    var order = FixOrder()
    #expect(take(&order, fix(100)) == [.fix(fix(100))])
    #expect(take(&order, fix(100)) == [.rejected(.duplicate)])
    #expect(take(&order, fix(100, east: 50)) == [.rejected(.conflict)])
    #expect(take(&order, fix(99)) == [.rejected(.late)])
    #expect(take(&order, fix(90_000)) == [.rejected(.future)])
    #expect(take(&order, fix(200), received: 150) == [.rejected(.future)])
    #expect(take(&order, fix(-1e9)) == [.rejected(.clock)])
    #expect(take(&order, fix(101)) == [.fix(fix(101))])
  }

  @Test(
    "FLEET-163: a fix dated 1024 weeks before it came is none, and other old ones are as before",
    arguments: [
      (0, true), (-86_400, true), (-86_401, false), (2_592_000, true), (2_592_001, false),
      (-25_920_000, false), (315_360_000, false),
    ] as [(Double, Bool)])
  func rollover(behind: Double, isRolledOver: Bool) {
    let received = 1024 * 604_800 + behind
    for window in [0.0, 60] {
      var order = FixOrder()
      let outputs = take(&order, fix(0), window: window, received: received) + order.flush()
      #expect(outputs == [isRolledOver ? .rejected(.rollover) : .fix(fix(0))])
      var next = FixOrder()
      let isTaken = next.takeNext(
        fix(0), received: FleetWalk.start + .seconds(received), limit: limit, window: window,
        bound: 10)
      #expect(!isTaken || !isRolledOver, "the short way takes it")
    }
    // Where it is not known when it came, nothing is known of its date.
    var order = FixOrder()
    #expect(take(&order, fix(0)) == [.fix(fix(0))])
  }

  @Test("FLEET-5: within the window every order of arrival gives the same order of fixes")
  func permutations() {
    let times = [0.0, 10, 20, 30]
    for first in 0..<4 {
      for second in 0..<4 where second != first {
        for third in 0..<4 where third != first && third != second {
          let places = [first, second, third, 6 - first - second - third]
          var order = FixOrder()
          var outputs: [FixOrder.Output] = []
          for place in places { outputs += take(&order, fix(times[place]), window: 60) }
          outputs += order.flush()
          #expect(outputs == times.map { .fix(fix($0)) })
        }
      }
    }
  }

  @Test("FLEET-5: of two places at one time in the window the more accurate one counts")
  func better() {
    var order = FixOrder()
    _ = take(&order, fix(0, accuracy: 50), window: 60)
    #expect(take(&order, fix(0, east: 9, accuracy: 5), window: 60) == [.rejected(.conflict)])
    #expect(order.flush() == [.fix(fix(0, east: 9, accuracy: 5))])
  }

  @Test("FLEET-5: no more than 64 fixes wait")
  func bounded() {
    var order = FixOrder()
    for number in 0..<500 { _ = take(&order, fix(Double(number)), window: 600) }
    #expect(order.waiting.count == FixOrder.mostWaiting)
  }

  @Test("FLEET-6: a clock counts as set back when three fixes in a row show it by their arrival")
  func setBack() {
    var order = FixOrder()
    _ = take(&order, fix(10_000), received: 10_000)
    #expect(take(&order, fix(10), received: 10_010) == [.rejected(.late)])
    #expect(take(&order, fix(20), received: 10_020) == [.rejected(.late)])
    #expect(take(&order, fix(30), received: 10_030) == [.setBack(fix(30))])
    #expect(take(&order, fix(40), received: 10_040) == [.fix(fix(40))])
  }

  @Test("FLEET-6: a backlog after a live fix is late, and no clock that was set back")
  func backlog() {
    var order = FixOrder()
    _ = take(&order, fix(10_000), received: 10_000)
    for number in 0..<50 {
      let late = fix(Double(number) * 10)
      #expect(take(&order, late, received: 10_001 + Double(number)) == [.rejected(.late)])
      #expect(take(&order, late) == [.rejected(.late)])
    }
  }
}
