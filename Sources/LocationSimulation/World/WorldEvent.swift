package import LocationEngine
package import LocationModel

/// Something that happens in the world at a time: the words of scenarios and of tests.
package enum WorldEvent: Sendable {
  /// The person changes a setting, an app changes its life.
  case input(LocationEngine.Input)
  /// The sky is covered or cleared; `nil` goes by the journey again.
  case sky(Sky?)
  case depart(Journey)
  /// What is wrong with a receiver from now on; `nil` for nothing.
  case fault(Int, VirtualReceiver.Fault?)
  /// How a receiver errs from now on, `nil` for as usual, and how often it speaks.
  case tune(Int, ReceiverNoise?, every: Duration)
  /// How the person answers from now on.
  case habit([Person.Reply])
  /// The clock is set, without time passing.
  case date(UnixTime)
  /// A beacon is put up, or moved.
  case beacon(VirtualBeacon)
  case noBeacon(BeaconIdentity)
  case bluetooth(on: Bool)
  /// The device's top edge points there, in degrees from true north; `nil` goes by the way.
  case turn(Double?)
  /// Microtesla towards east, north, and up, besides the Earth's.
  case field(DeviceVector)
  /// Microtesla along the device's axes: iron that turns with it.
  case iron(DeviceVector)
  /// What the motion sensor tells from now on, whatever moves the device; `nil` goes by its way.
  case motion(MotionActivity?)
  /// The device is switched off and on; a locked one cannot read its store.
  case reboot(locked: Bool)
  case unlock
}
