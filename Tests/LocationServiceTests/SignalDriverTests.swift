import LocationService
import LocationEngine
import LocationModel
import LocationProviders
import Testing

@Suite("The driver of BlueZ")
struct BlueZDriverTests {
  @Test("POW-3: enters the bus only while somebody wants beacons")
  func demand() throws {
    var core = try CoreBench("bluez:")
    core.run(seconds: 60)
    #expect(core.transcript.isEmpty)
    core.range(.start(all))
    try core.channel(.opened)
    core.range(.stop(all))
    #expect(
      core.transcript == """
        00:01:00  open 0.1 systemBus
        00:01:00  call GetManagedObjects
        00:01:00  close 0.1
        """)
    #expect(core.statuses == [.idle])
  }

  @Test("BEACON-16: fails when the bus ends, and opens it again")
  func noBus() throws {
    var core = try CoreBench("bluez:")
    core.range(.start(all))
    try core.channel(.closed(.missing("no bus")))
    #expect(core.statuses == [.unavailable(.missing("no bus"))])
    core.run(seconds: 1)
    #expect(
      core.transcript == """
        00:00:00  open 0.1 systemBus
        00:00:00  ranging unavailable
        00:00:01  open 0.2 systemBus
        """)
  }

  @Test("numbers the calls of scanner and advertiser apart, and subscribes once for both")
  func shared() throws {
    var core = try CoreBench("bluez:")
    core.range(.start(all))
    try core.channel(.opened)
    core.advertise(.start(advert))
    let numbers = core.calls.map(\.number)
    #expect(core.calls.map(\.member) == ["GetManagedObjects", "GetManagedObjects"])
    #expect(Set(numbers).count == numbers.count)
    #expect(Set(core.subscriptions).count == core.subscriptions.count)
    // The second answer is the advertiser's; the scanner still waits for its own.
    try core.channel(.bus(.reply(numbers[1], adapter)))
    #expect(core.calls.map(\.member).last == "RegisterAdvertisement")
    try core.channel(.bus(.reply(core.calls[2].number, .values([]))))
    try core.channel(.bus(.reply(numbers[0], adapter)))
    #expect(core.calls.map(\.member).suffix(2) == ["SetDiscoveryFilter", "StartDiscovery"])
    #expect(core.transcript.hasSuffix("call StartDiscovery"))
    #expect(core.transcript.contains("advertising"))
  }

  @Test("BEACON-3: goes on advertising when nobody ranges any more, and leaves the bus in the end")
  func leaves() throws {
    var core = try CoreBench("bluez:")
    core.advertise(.start(advert))
    try core.channel(.opened)
    core.range(.start(all))
    core.range(.stop(all))
    #expect(!core.transcript.contains("close"))
    core.advertise(.stop)
    #expect(core.transcript.contains("close 0.1"))
  }

  @Test("is unavailable to those who advertise while the bus is gone")
  func advertisingWithoutBus() throws {
    var core = try CoreBench("bluez:")
    core.advertise(.start(advert))
    try core.channel(.closed(.missing("no bus")))
    #expect(core.transcript.hasSuffix("00:00:00  unavailable"))
  }
}

@Suite("The driver of the sensors")
struct SensorDriverTests {
  @Test("AVAIL-3, POW-4: surveys once, and reads only while headings are wanted")
  func demand() throws {
    var core = try CoreBench("iio:")
    try core.channel(.opened)
    try core.channel(.readings(SensorFiles.survey))
    core.run(seconds: 10)
    core.head(.start(HeadingOptions()))
    try core.channel(.opened)
    try core.channel(.readings(SensorFiles.readings(0, 200, -400)))
    core.head(.stop)
    #expect(
      core.transcript == """
        00:00:00  open 0.1 sensors
        00:00:00  survey
        00:00:00  close 0.1
        00:00:10  open 0.2 sensors
        00:00:10  read 6 files
        00:00:10  heading 0.0
        00:00:10  close 0.2
        """)
  }

  @Test("keeps what it learned of the iron around it, and knows it after a restart")
  func calibration() throws {
    var core = try CoreBench("iio:")
    try core.channel(.opened)
    try core.channel(.readings(SensorFiles.survey))
    core.head(.start(HeadingOptions(filter: nil)))
    try core.channel(.opened)
    // Every way about, around a magnet of 30 microtesla along x.
    for turn in 0..<80 {
      let latitude = Angle(degrees: Double(turn * 41 % 180) - 90)
      let longitude = Angle(degrees: Double(turn * 77))
      try core.channel(
        .readings(
          SensorFiles.readings(
            300 + Int(500 * cos(latitude) * cos(longitude)),
            Int(500 * cos(latitude) * sin(longitude)), Int(500 * sin(latitude)))))
      core.run(seconds: 0.1)
    }
    let kept = try #require(core.persisted.last { $0.key.domain == IIOCompass.domain })

    var again = try CoreBench("iio:", stored: [kept])
    try again.channel(.opened)
    try again.channel(.readings(SensorFiles.survey))
    again.head(.start(HeadingOptions()))
    try again.channel(.opened)
    try again.channel(.readings(SensorFiles.readings(300, 200, -400)))
    let heading = try #require(again.headings.last)
    #expect(heading.accuracy != nil)
    let error = min(heading.magneticHeading, 360 - heading.magneticHeading)
    #expect(error < 3)
  }

  @Test("asks the proxy where the kernel has no pair of sensors, and says why there is no compass")
  func proxy() throws {
    var core = try CoreBench("iio:")
    try core.channel(.opened)
    try core.channel(.readings([]))
    try core.channel(.closed(.missing("no bus")))
    #expect(core.statuses == [.unavailable(.missing("no bus"))])
    core.run(seconds: 1)
    #expect(
      core.transcript == """
        00:00:00  open 0.1 sensors
        00:00:00  survey
        00:00:00  close 0.1
        00:00:00  open 0.2 systemBus
        00:00:01  open 0.3 systemBus
        """)
  }

  @Test("counts readings that are none")
  func unreadable() throws {
    var core = try CoreBench("iio:")
    try core.channel(.opened)
    try core.channel(.readings(SensorFiles.survey))
    core.head(.start(HeadingOptions()))
    try core.channel(.opened)
    try core.channel(.readings([]))
    #expect(core.report?.rejections == [SourceRejection(reason: "unreadable", count: 1)])
  }
}

/// What the kernel says of a magnetometer and an accelerometer that lies level.
private enum SensorFiles {
  static let survey =
    readings(0, 0, 0)
    + [
      SysfsReading(path: "iio:device0/name", text: "ak8975\n"),
      SysfsReading(path: "iio:device0/in_magn_scale", text: "0.001\n"),
      SysfsReading(path: "iio:device0/in_accel_scale", text: "0.00981\n"),
    ]

  static func readings(_ x: Int, _ y: Int, _ z: Int) -> [SysfsReading] {
    zip(["magn_x", "magn_y", "magn_z", "accel_x", "accel_y", "accel_z"], [x, y, z, 0, 0, 1000])
      .map { SysfsReading(path: "iio:device0/in_\($0)_raw", text: "\($1)\n") }
  }
}

private let uuid = BeaconUUID(high: 1, low: 2)
private let all = BeaconConstraint(uuid: uuid)
private let advert = IBeaconAdvert(identity: BeaconIdentity(uuid: uuid, major: 1, minor: 7))

/// The answer of a bluetoothd with one adapter that is on.
private let adapter = BusReply.values([
  .dictionary(
    key: "o", value: "a{sa{sv}}",
    [
      BusEntry(
        key: .objectPath("/org/bluez/hci0"),
        value: .dictionary(
          key: "s", value: "a{sv}",
          [
            BusEntry(
              key: .string(BlueZ.adapter), value: .properties(["Powered": .boolean(true)])),
            BusEntry(key: .string(BlueZ.advertisingManager), value: .properties([:])),
          ]))
    ])
])
