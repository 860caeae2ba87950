import LocationHost
import LocationLink
import Testing

@Suite("Which command sets the place")
struct SimulationControlTests {
  private var control = SimulationControl()

  @Test("SIM-15: a way ends with its own connection, and with no other")
  mutating func way() {
    let begins = [control.begin(1, isHeld: false), control.begin(1, isHeld: false)]
    #expect(begins == [true, false])
    let ends = [control.leave(2), control.leave(1), control.leave(1)]
    #expect(ends == [false, true, false])
    #expect(!control.isActive)
  }

  @Test("SIM-15: a place that is held outlasts its connection, until it is cleared once")
  mutating func held() {
    let begins = [control.begin(1, isHeld: true), control.begin(2, isHeld: true)]
    #expect(begins == [true, false])
    let ends = [control.leave(1), control.leave(2)]
    #expect(ends == [false, false])
    #expect(control.isActive)
    let cleared = [control.clear(), control.clear()]
    #expect(cleared == [true, false])
  }

  @Test("SIM-15: a way that was cleared or replaced goes on no more")
  mutating func over() {
    _ = control.begin(1, isHeld: false)
    _ = control.clear()
    #expect(control.refusal(of: 1, isHeld: false)?.next == "start it again")
    _ = control.begin(2, isHeld: false)
    let isNew = control.begin(3, isHeld: true)
    #expect(!isNew)
    #expect(control.refusal(of: 2, isHeld: false) != nil)
    #expect(control.refusal(of: 4, isHeld: false) == nil)
    let ends = control.leave(2)
    #expect(!ends)
    #expect(control.isActive)
    // Nothing is kept of a connection that has ended.
    #expect(control.refusal(of: 2, isHeld: false) == nil)
  }

  @Test("a connection whose way was replaced may still hold a place")
  mutating func heldAfterwards() {
    _ = control.begin(1, isHeld: false)
    _ = control.begin(2, isHeld: false)
    #expect(control.refusal(of: 1, isHeld: true) == nil)
    let isNew = control.begin(1, isHeld: true)
    #expect(!isNew)
    #expect(control.refusal(of: 2, isHeld: false) != nil)
  }
}
