package import LocationEngine
package import LocationModel

/// An event in the world at a time, in scenarios and tests.
package enum WorldEvent: Sendable {
  /// The person changes a setting, an app changes its life.
  case input(LocationEngine.Input)
  /// The sky is covered or cleared; `nil` goes by the journey again.
  case sky(Sky?)
  case depart(Journey)
  /// What is wrong with a receiver from now on; `nil` for nothing.
  case fault(Int, VirtualReceiver.Fault?)
  /// The errors of a receiver from now on, `nil` for the usual ones, and its interval.
  case tune(Int, ReceiverNoise?, every: Duration)
  /// How the person answers from now on.
  case habit([Person.Reply])
  /// The clock is set, without time passing.
  case date(UnixTime)
  /// A beacon is put up, or moved.
  case beacon(VirtualBeacon)
  case noBeacon(BeaconIdentity)
  case bluetooth(on: Bool)
  /// Which access points there are from now on; of no effect without a radio.
  case accessPoints([VirtualAccessPoint])
  /// Which cells there are from now on; of no effect without a radio.
  case cells([VirtualCell])
  /// Somebody's survey of a building is imported into the device's map: what is received along a way, on
  /// its floors; of no effect without a radio.
  case survey(Journey)
  /// Whether the device is where the access points are that travel: in the bus, beside the phone.
  case hotspot(Bool)
  /// The device's top edge points there, in degrees from true north; `nil` goes by the way.
  case turn(Double?)
  /// Microtesla towards east, north, and up, besides the Earth's.
  case field(DeviceVector)
  /// Microtesla along the device's axes: iron that turns with it.
  case iron(DeviceVector)
  /// What the compass measures; `nil` for the field around it.
  case compass(VirtualCompass.Setting?)
  /// The activity that the motion sensor reports from now on, however the device moves; `nil` follows
  /// its movement.
  case motion(MotionActivity?)
  /// The device is switched off and on; a locked one cannot read its store.
  case reboot(locked: Bool)
  case unlock
}
