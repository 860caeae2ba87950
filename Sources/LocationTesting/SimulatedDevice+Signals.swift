public import CoreLocation
import LocationModel
import LocationSimulation

// MARK: Beacons

/// A Bluetooth beacon at a fixed place; one whose place is not on Earth is not received.
public struct SimulatedBeacon: Hashable, Sendable {
  /// The proximity UUID that all beacons of one deployment share.
  public var uuid: UUID
  /// The number of its group within the deployment.
  public var major: CLBeaconMajorValue
  /// Its number within the group.
  public var minor: CLBeaconMinorValue
  /// The signal strength at one meter that it advertises, in dBm.
  public var measuredPower: Int8

  /// Makes a beacon.
  ///
  /// - Parameters:
  ///   - uuid: The proximity UUID that all beacons of one deployment share.
  ///   - major: The number of a group of beacons within the deployment.
  ///   - minor: The number of one beacon within its group.
  ///   - measuredPower: The signal strength at one meter that it advertises, in dBm.
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
  /// Adds a beacon at a place, or moves it there.
  ///
  /// The received signal strength falls with the distance, varies with each advertisement, and is
  /// weaker while the person's back is turned to the beacon. The device receives as beacons claim;
  /// a real Bluetooth adapter calls every beacon near until it is known.
  ///
  /// - Parameters:
  ///   - beacon: The beacon.
  ///   - place: Where the beacon is from now on.
  public func place(_ beacon: SimulatedBeacon, at place: CLLocationCoordinate2D) {
    guard let identity = beacon.identity else { return }
    does(
      .beacon(
        VirtualBeacon(identity, at: Coordinate(place), measuredPower: beacon.measuredPower)))
  }

  /// Removes a beacon, or simulates that its battery is empty.
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

/// A magnetic field in addition to the Earth's: iron or a magnet near the device.
public struct MagneticDisturbance: Hashable, Sendable {
  /// The components in microtesla.
  public var east, north, up: Double

  /// Makes a field. For comparison, the Earth's field is about 20 microtesla to the north and 45
  /// down in Central Europe.
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
  /// - Parameter heading: Degrees clockwise from true north; `nil` to follow the route again.
  public func turn(to heading: CLLocationDirection?) { does(.turn(heading)) }

  /// Adds a magnetic field around the compass.
  ///
  /// - Parameter field: The field in addition to the Earth's; `nil` for none.
  public func disturbCompass(_ field: MagneticDisturbance?) {
    let field = field ?? MagneticDisturbance()
    does(.field(DeviceVector(x: field.east, y: field.north, z: field.up)))
  }

  /// Magnetizes the device itself; zeros remove the magnetization.
  ///
  /// This invalidates the compass calibration: until the device is turned about and calibrated
  /// anew, headings have no accuracy, and apps are asked whether to show the person how to turn it
  /// (HEAD-9, HEAD-14).
  ///
  /// - Parameters:
  ///   - x: Microtesla towards the right edge.
  ///   - y: Microtesla towards the top edge.
  ///   - z: Microtesla out of the display.
  public func magnetizeCompass(x: Double, y: Double, z: Double) {
    does(.iron(DeviceVector(x: x, y: y, z: z)))
  }
}

/// What a compass measures: a magnetic field along the device's axes.
public struct SimulatedField: Hashable, Sendable {
  /// Microtesla towards the right edge.
  public var x: Double
  /// Microtesla towards the top edge.
  public var y: Double
  /// Microtesla out of the display.
  public var z: Double

  /// Creates a field.
  ///
  /// - Parameters:
  ///   - x: Microtesla towards the right edge.
  ///   - y: Microtesla towards the top edge.
  ///   - z: Microtesla out of the display.
  public init(x: Double, y: Double, z: Double) {
    self.x = x
    self.y = y
    self.z = z
  }
}

extension SimulatedDevice {
  /// Sets what the compass measures, in place of the field around it (HEAD-14).
  ///
  /// The heading follows from the field and the attitude of the device; there is none while the
  /// field is vertical.
  ///
  /// - Parameters:
  ///   - field: The field; `nil` for the one around the device again.
  ///   - accuracy: Degrees by which the heading may be wrong, at 68 %; greater than zero.
  ///   - calibrated: Whether the compass is calibrated; if not, headings have no accuracy, and
  ///     apps are asked whether to show the person how to calibrate it.
  public func setCompass(
    field: SimulatedField?, accuracy: CLLocationDirection = 5, calibrated: Bool = true
  ) {
    let setting = field.map {
      VirtualCompass.Setting(
        field: DeviceVector(x: $0.x, y: $0.y, z: $0.z), accuracy: calibrated ? accuracy : nil)
    }
    does(.compass(setting))
  }
}

// MARK: Motion

/// An activity that a motion sensor may recognize.
public enum SimulatedMotion: String, Hashable, Sendable, CaseIterable {
  /// No recognized activity.
  case unknown
  /// The device does not move.
  case stationary
  /// Recognized by the steps of the person who carries the device.
  case walking, running
  /// Recognized by the vibration of the vehicle that carries the device.
  case cycling, automotive
}

extension SimulatedDevice {
  /// Fixes what the motion sensor reports, wherever the device goes: for example a train that rolls
  /// so smoothly that the device seems stationary.
  ///
  /// The sensor decides nothing by itself. It triggers the check for a departure or an exit, and
  /// affects whether fixes that seem to move are accepted (POW-6).
  ///
  /// - Parameter motion: What it reports; `nil` to follow the device's movement, which is the
  ///   default.
  public func holdMotionSensor(at motion: SimulatedMotion?) {
    does(
      .motion(
        motion.map { MotionActivity(MotionActivity.Kind(rawValue: $0.rawValue) ?? .unknown) }))
  }
}

// MARK: Barometer

/// The barometer of a simulated device, and the weather around it.
///
/// It measures the pressure of the standard atmosphere at the altitude of the device, moved by the
/// weather by some tenths of a hectopascal in three hours, with a noise of two pascals. Altitudes of
/// locations then follow it.
public struct SimulatedBarometer: Hashable, Sendable {
  /// The pressure at sea level in hectopascals, in `870...1085`; 1013.25 is the standard.
  public var pressureAtSea: Double

  /// Makes a barometer.
  ///
  /// - Parameter pressureAtSea: The pressure at sea level in hectopascals, in `870...1085`; what lies
  ///   beyond counts as the nearest.
  public init(pressureAtSea: Double = 1013.25) {
    self.pressureAtSea = pressureAtSea
  }

  func virtual(seed: UInt64) -> VirtualBarometer {
    let range = VirtualBarometer.pressuresAtSea
    let pressure = pressureAtSea.isNaN ? VirtualBarometer.standard : pressureAtSea
    return VirtualBarometer(
      pressureAtSea: min(max(pressure, range.lowerBound), range.upperBound), seed: seed)
  }
}

// MARK: Switching off and on

extension SimulatedDevice {
  /// Turns the device off and on: every app's process ends.
  ///
  /// - Parameter locked: Whether the device stays locked: it then delivers no events and launches
  ///   no app until ``unlock()`` (LIFE-7).
  public func reboot(locked: Bool = false) {
    let work = endAllProcesses()
    does(.reboot(locked: locked))
    // What the canceled code still asks for comes after the reboot, which knows its process no more.
    for task in work { task.cancel() }
  }

  /// Unlocks the device for the first time after a reboot.
  public func unlock() { does(.unlock) }
}
