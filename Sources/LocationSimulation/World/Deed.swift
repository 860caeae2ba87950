package import LocationEngine
package import LocationModel

/// Something that happens in the world at a time: the words of scenarios and of tests.
package enum Deed: Sendable {
  /// The person changes a setting, an app changes its life.
  case input(LocationEngine.Input)
  /// The sky is covered or cleared; `nil` goes by the journey again.
  case sky(Sky?)
  case depart(Journey)
  /// What is wrong with a receiver from now on; `nil` for nothing.
  case fault(Int, VirtualReceiver.Fault?)
  /// How the person answers from now on.
  case habit([Person.Reply])
  /// The clock is set, without time passing.
  case date(UnixTime)
}
