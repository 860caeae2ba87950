public import CoreLocation
import LocationModel
import LocationSimulation

// MARK: Beacons

/// A Bluetooth beacon that stands somewhere.
public struct SimulatedBeacon: Hashable, Sendable {
  /// The proximity UUID that all beacons of one deployment share.
  public var uuid: UUID
  /// Of which group.
  public var major: CLBeaconMajorValue
  /// Which of the group.
  public var minor: CLBeaconMinorValue
  /// dBm that it says is heard at one meter.
  public var measuredPower: Int8

  /// Makes a beacon.
  ///
  /// - Parameters:
  ///   - uuid: The proximity UUID that all beacons of one deployment share.
  ///   - major: The number of a group of beacons within the deployment.
  ///   - minor: The number of one beacon within its group.
  ///   - measuredPower: The signal strength at one meter that it claims, in dBm.
  public init(
    uuid: UUID, major: CLBeaconMajorValue, minor: CLBeaconMinorValue, measuredPower: Int8 = -59
  ) {
    self.uuid = uuid
    self.major = major
    self.minor = minor
    self.measuredPower = measuredPower
  }

  var identity: BeaconIdentity? {
    withUnsafeBytes(of: uuid.uuid) { BeaconUUID(bytes: $0) }.map {
      BeaconIdentity(uuid: $0, major: major, minor: minor)
    }
  }
}

extension SimulatedDevice {
  /// Puts up a beacon, or moves it.
  ///
  /// What the device hears fades with the distance, varies with each advertisement, and is weaker
  /// while the person turns their back to the beacon.
  ///
  /// - Parameters:
  ///   - beacon: The beacon.
  ///   - place: Where it hangs from now on.
  public func place(_ beacon: SimulatedBeacon, at place: CLLocationCoordinate2D) {
    guard let identity = beacon.identity else { return }
    does(
      .beacon(
        VirtualBeacon(identity, at: Coordinate(place), measuredPower: beacon.measuredPower)))
  }

  /// Takes a beacon away, or lets its battery run out.
  ///
  /// - Parameter beacon: The beacon.
  public func remove(_ beacon: SimulatedBeacon) {
    guard let identity = beacon.identity else { return }
    does(.noBeacon(identity))
  }

  /// Turns Bluetooth on or off.
  ///
  /// - Parameter on: Whether it is on.
  public func turnBluetooth(on: Bool) { does(.bluetooth(on: on)) }
}

// MARK: Compass

/// A magnetic field besides the Earth's: iron or a magnet beside the device.
public struct MagneticDisturbance: Hashable, Sendable {
  /// Microtesla.
  public var east, north, up: Double

  /// Makes a field; the Earth's is about 20 microtesla to the north and 45 down in the middle of
  /// Europe.
  ///
  /// - Parameters:
  ///   - east: Microtesla towards the east.
  ///   - north: Microtesla towards the north.
  ///   - up: Microtesla away from the ground.
  public init(east: Double = 0, north: Double = 0, up: Double = 0) {
    self.east = east
    self.north = north
    self.up = up
  }
}

extension SimulatedDevice {
  /// Turns the device, and the person who holds it.
  ///
  /// - Parameter heading: Degrees clockwise from true north; `nil` goes by the way again.
  public func turn(to heading: CLLocationDirection?) { does(.turn(heading)) }

  /// Disturbs the compass.
  ///
  /// - Parameter field: The field beside the Earth's; `nil` for none.
  public func disturbCompass(_ field: MagneticDisturbance?) {
    let field = field ?? MagneticDisturbance()
    does(.field(DeviceVector(x: field.east, y: field.north, z: field.up)))
  }

  /// Magnetizes the device itself; zeros take the magnet away.
  ///
  /// What the compass has learned of itself is wrong then: until it has learned anew, by being
  /// turned about, headings have no accuracy, and apps are asked whether the person shall be shown
  /// how to turn it (HEAD-9, HEAD-14).
  ///
  /// - Parameters:
  ///   - x: Microtesla towards the right edge.
  ///   - y: Microtesla towards the top edge.
  ///   - z: Microtesla out of the display.
  public func magnetizeCompass(x: Double, y: Double, z: Double) {
    does(.iron(DeviceVector(x: x, y: y, z: z)))
  }
}

// MARK: Motion

/// What a motion sensor may recognize.
public enum SimulatedMotion: String, Hashable, Sendable, CaseIterable {
  /// Nothing that has a name.
  case unknown
  /// The device lies still.
  case stationary
  /// By the steps of the one who carries it.
  case walking, running
  /// By the shaking of what carries it.
  case cycling, automotive
}

extension SimulatedDevice {
  /// Holds the motion sensor to what it tells, wherever the device goes: a train that rolls so
  /// smoothly that the device seems to lie still.
  ///
  /// The sensor decides nothing by itself. It says when to look for a departure or an exit, and
  /// whether fixes that seem to travel are to be believed (POW-6).
  ///
  /// - Parameter motion: What it tells; `nil` for what the device's way is, which is how it begins.
  public func holdMotionSensor(at motion: SimulatedMotion?) {
    does(
      .motion(
        motion.map { MotionActivity(MotionActivity.Kind(rawValue: $0.rawValue) ?? .unknown) }))
  }
}

// MARK: Switching off and on

extension SimulatedDevice {
  /// Switches the device off and on: every app's process ends.
  ///
  /// - Parameter locked: Whether it stays locked: then it gives no events, and starts no app, until
  ///   ``unlock()`` (LIFE-7).
  public func reboot(locked: Bool = false) {
    endAllProcesses()
    does(.reboot(locked: locked))
  }

  /// Lets the person unlock the device for the first time after a reboot.
  public func unlock() { does(.unlock) }
}
