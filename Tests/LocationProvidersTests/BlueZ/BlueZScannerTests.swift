import LocationModel
import LocationProviders
import TestSupport
import Testing

@Suite("The scanner of BlueZ")
struct BlueZScannerTests {
  private var bench = Bench(BlueZScanner(), describe: line)

  @Test("asks for the objects, and listens without pause for ranging")
  mutating func ranging() {
    bench.send(.scan(.continuous))
    bench.send(.bus(.connected))
    answer(ScriptedBlueZ.objects())
    answer()
    #expect(
      bench.transcript == """
        00:00:00  subscribe NameOwnerChanged
        00:00:00  subscribe InterfacesAdded
        00:00:00  subscribe InterfacesRemoved
        00:00:00  subscribe PropertiesChanged
        00:00:00  GetManagedObjects
        00:00:00  SetDiscoveryFilter
        00:00:00  StartDiscovery
        00:00:00  listening
        """)
    #expect(calls("SetDiscoveryFilter").first?.arguments.first?["Transport"]?.text == "le")
    #expect(calls("SetDiscoveryFilter").first?.arguments.first?["DuplicateData"]?.boolean == true)
  }

  @Test("receives each advertisement of a beacon, and counts the rest")
  mutating func receives() {
    listen(.continuous)
    bench.send(.bus(ScriptedBlueZ.received(rssi: -57)))
    bench.run(for: .milliseconds(100))
    bench.send(.bus(ScriptedBlueZ.receivedAgain(rssi: -60)))
    bench.send(.bus(ScriptedBlueZ.receivedAgain(rssi: 127)))
    let name = BusValue.properties(["Name": .string("x")])
    bench.send(.bus(ScriptedBlueZ.changed(ScriptedBlueZ.device, BlueZ.device, name)))
    #expect(samples.map(\.rssi) == [-57, -60, nil])
    #expect(samples.first?.identity == ScriptedBlueZ.beacon.identity)
    #expect(samples.first?.address == BluetoothAddress("C0:00:00:00:00:01"))
    #expect(samples.last?.time == bench.now.unixTime)
    let other = ManufacturerData(company: 0x4C, payload: [0x10, 0x05])
    bench.send(.bus(ScriptedBlueZ.received(rssi: -50, data: other)))
    #expect(samples.count == 3)
    #expect(bench.machine.otherAdvertisements == 1)
  }

  @Test("border 7: a radio that invents devices fills nothing, and drives no beacon out")
  mutating func inventions() {
    listen(.continuous)
    let other = ManufacturerData(company: 0x4C, payload: [0x10, 0x05])
    bench.send(.bus(ScriptedBlueZ.received(rssi: -57)))
    for number in 0..<20_000 {
      let path = ScriptedBlueZ.adapter + "/dev_\(number)"
      bench.send(.bus(ScriptedBlueZ.received(rssi: -50, data: other, at: path)))
    }
    #expect(bench.machine.forgottenDevices > 15_000)
    let before = samples.count
    bench.send(.bus(ScriptedBlueZ.receivedAgain(rssi: -60)))
    #expect(samples.count == before + 1)
  }

  @Test("border 12: an adapter that finds 2,500 beacons by itself is followed for the first 2,000")
  mutating func manyFound() {
    listen(.passive, canMonitor: true)
    for number in 0..<2500 {
      signalMonitor("DeviceFound", "\(ScriptedBlueZ.adapter)/dev_\(number)")
    }
    #expect(bench.machine.otherBeacons == 2500 - BlueZScanner.mostMonitored)
    signalMonitor("DeviceLost", "\(ScriptedBlueZ.adapter)/dev_0")
    signalMonitor("DeviceFound", "\(ScriptedBlueZ.adapter)/dev_2400")
    #expect(bench.machine.otherBeacons == 2500 - BlueZScanner.mostMonitored)
  }

  @Test("stops when nothing is wanted")
  mutating func stops() {
    listen(.continuous)
    bench.send(.scan(.off))
    bench.send(.bus(ScriptedBlueZ.received(rssi: -57)))
    #expect(bench.transcript.hasSuffix("StopDiscovery"))
    #expect(samples.isEmpty)
  }

  @Test("POW-3: listens five seconds of fifteen for monitoring")
  mutating func cycle() {
    listen(.passive)
    let before = bench.outputs.count
    bench.run(for: .seconds(20))
    answer()
    bench.run(for: .seconds(5))
    let rest = bench.outputs.dropFirst(before).compactMap { entry in
      line(entry.output).map { "\(entry.at.nanoseconds / 1_000_000_000) \($0)" }
    }
    #expect(
      rest == ["5 StopDiscovery", "15 SetDiscoveryFilter", "15 StartDiscovery", "25 StopDiscovery"])
  }

  @Test("POW-3: lets the adapter wait for beacons where it can")
  mutating func monitor() throws {
    listen(.passive, canMonitor: true)
    #expect(bench.transcript.hasSuffix("RegisterMonitor\n00:00:00  listening"))
    let exported = bench.outputs.compactMap { entry -> BusObject? in
      guard case .bus(.export(let object)) = entry.output else { return nil }
      return object
    }
    let object = try #require(exported.first)
    #expect(object.root == "/org/meridian/monitors")
    let pattern = BusValue.structure([.byte(0), .byte(0xFF), .bytes([0x4C, 0, 2, 0x15])])
    #expect(object.properties["Patterns"]?.elements == [pattern])
    bench.send(.bus(ScriptedBlueZ.received(rssi: -57)))
    #expect(samples.map(\.rssi) == [-57])
  }

  @Test("BEACON-28: says which adapter has received a beacon, and nothing for one it does not know")
  mutating func adapter() {
    listen(.continuous)
    bench.send(.bus(ScriptedBlueZ.received(rssi: -57)))
    bench.send(
      .bus(ScriptedBlueZ.received(rssi: -58, at: "/org/bluez/hci10/dev_C0_00_00_00_00_01")))
    #expect(samples.map(\.adapter?.description) == ["00:1A:7D:DA:71:13", nil])
  }

  @Test("BEACON-22: repeats what the adapter has found until it is lost")
  mutating func monitored() {
    listen(.passive, canMonitor: true)
    bench.send(.bus(ScriptedBlueZ.received(rssi: -57)))
    signalMonitor("DeviceFound")
    bench.run(for: .seconds(25))
    signalMonitor("DeviceLost")
    bench.run(for: .seconds(60))
    #expect(samples.map(\.rssi) == [-57, -57, nil, nil])
  }

  @Test("listens in turns when the adapter refuses or drops a monitor", arguments: [true, false])
  mutating func monitorFails(isRefused: Bool) {
    bench.send(.scan(.passive))
    bench.send(.bus(.connected))
    answer(ScriptedBlueZ.objects(canMonitor: true))
    answer(isRefused ? .error("org.bluez.Error.Failed") : .values([]))
    if !isRefused { signalMonitor("Release") }
    #expect(
      bench.transcript.hasSuffix(
        """
        00:00:00  withdraw /org/meridian/monitors/ibeacon
        00:00:00  SetDiscoveryFilter
        00:00:00  StartDiscovery
        """))
  }

  @Test("BEACON-16: says so when the adapter is switched off, and begins again")
  mutating func power() {
    listen(.continuous)
    bench.send(.bus(ScriptedBlueZ.power(false)))
    bench.send(.bus(ScriptedBlueZ.receivedAgain(rssi: -60)))
    bench.send(.bus(ScriptedBlueZ.power(true)))
    answer()
    #expect(
      bench.transcript.hasSuffix(
        """
        00:00:00  unavailable
        00:00:00  SetDiscoveryFilter
        00:00:00  StartDiscovery
        00:00:00  listening
        """))
    bench.send(.bus(ScriptedBlueZ.received(rssi: -57)))
    #expect(samples.count == 1)
  }

  @Test("BEACON-16: says so when the adapter is taken out, and begins again")
  mutating func removal() {
    listen(.continuous)
    bench.send(.bus(ScriptedBlueZ.adapterRemoved()))
    bench.send(.bus(ScriptedBlueZ.adapterAdded()))
    #expect(bench.transcript.contains("unavailable\n00:00:00  SetDiscoveryFilter"))
  }

  @Test("begins again when bluetoothd was started anew")
  mutating func restart() {
    listen(.continuous)
    bench.send(.bus(ScriptedBlueZ.owner("")))
    bench.send(.bus(ScriptedBlueZ.owner(":1.99")))
    answer(ScriptedBlueZ.objects())
    answer()
    #expect(
      bench.transcript.hasSuffix(
        """
        00:00:00  unavailable
        00:00:00  GetManagedObjects
        00:00:00  SetDiscoveryFilter
        00:00:00  StartDiscovery
        00:00:00  listening
        """))
  }

  @Test("waits for bluetoothd when it does not run")
  mutating func noService() {
    bench.send(.scan(.continuous))
    bench.send(.bus(.connected))
    answer(.error("org.freedesktop.DBus.Error.ServiceUnknown"))
    #expect(bench.transcript.hasSuffix("unavailable"))
    bench.send(.bus(ScriptedBlueZ.owner(":1.9")))
    answer(ScriptedBlueZ.objects())
    #expect(calls("StartDiscovery").count == 1)
  }

  @Test("RADIO-93: knows what each adapter can do, and what is missing first")
  mutating func evidence() {
    func hci0(isOn: Bool, waits: Bool = false) -> BluetoothEvidence.Adapter {
      BluetoothEvidence.Adapter(name: "hci0", isOn: isOn, waits: waits, advertises: true)
    }
    bench.send(.scan(.continuous))
    bench.send(.bus(.connected))
    #expect(bench.machine.evidence == nil)
    answer(.error("org.freedesktop.DBus.Error.AccessDenied"))
    #expect(bench.machine.evidence == BluetoothEvidence([], lack: .permission))
    for (reply, expected) in [
      (
        BusReply.error("org.freedesktop.DBus.Error.ServiceUnknown"),
        BluetoothEvidence([], lack: .service)
      ),
      (.values([.dictionary(key: "o", value: "a{sa{sv}}", [])]), .init([], lack: .adapter)),
      (ScriptedBlueZ.objects(powered: false), .init([hci0(isOn: false)], lack: .power)),
      (ScriptedBlueZ.objects(canMonitor: true), .init([hci0(isOn: true, waits: true)])),
    ] {
      bench.send(.bus(ScriptedBlueZ.owner(":1.9")))
      answer(reply)
      #expect(bench.machine.evidence == expected)
    }
    bench.send(.bus(.owner(of: "org.bluez", from: ":1.9", to: "")))
    #expect(bench.machine.evidence == BluetoothEvidence([], lack: .service))
  }

  @Test("begins again when the bus comes back")
  mutating func busLost() {
    listen(.continuous)
    bench.send(.bus(.disconnected))
    #expect(bench.transcript.hasSuffix("unavailable"))
    bench.send(.bus(.connected))
    answer(ScriptedBlueZ.objects())
    #expect(calls("StartDiscovery").count == 2)
  }

  @Test("BEACON-16: tries again when the adapter refuses to scan")
  mutating func refused() {
    bench.send(.scan(.continuous))
    bench.send(.bus(.connected))
    answer(ScriptedBlueZ.objects())
    answer(.error("org.bluez.Error.NotReady"))
    bench.run(for: .seconds(10))
    answer()
    #expect(
      bench.transcript.hasSuffix(
        """
        00:00:00  failing
        00:00:10  SetDiscoveryFilter
        00:00:10  StartDiscovery
        00:00:10  listening
        """))
  }

  @Test("takes a scan that runs already for its own")
  mutating func inProgress() {
    bench.send(.scan(.continuous))
    bench.send(.bus(.connected))
    answer(ScriptedBlueZ.objects())
    answer(.error("org.bluez.Error.InProgress"))
    bench.send(.bus(ScriptedBlueZ.received(rssi: -57)))
    #expect(samples.count == 1)
  }

  @Test("does not fall over signals with other contents")
  mutating func odd() {
    listen(.continuous)
    for arguments in [[], [.string("x")], [.objectPath("/x"), .int16(1)]] as [[BusValue]] {
      for member in ["InterfacesAdded", "InterfacesRemoved", "Odd"] {
        bench.send(
          .bus(
            .signal(
              BusSignal(
                path: "/", interface: BlueZ.objectManager, member: member, arguments: arguments))))
      }
      bench.send(.bus(ScriptedBlueZ.changed("/x", BlueZ.device, .string("odd"))))
    }
    let odd = BusValue.properties([
      "RSSI": .string("loud"), "ManufacturerData": .string("x"), "Address": .string("nowhere"),
    ])
    bench.send(.bus(ScriptedBlueZ.received(rssi: -57)))
    bench.send(.bus(ScriptedBlueZ.changed(ScriptedBlueZ.device, BlueZ.device, odd)))
    #expect(samples.count == 1)
  }

  // MARK: - The script

  private mutating func listen(_ scan: BeaconScan, canMonitor: Bool = false) {
    bench.send(.scan(scan))
    bench.send(.bus(.connected))
    answer(ScriptedBlueZ.objects(canMonitor: canMonitor))
    answer()
  }

  /// Answers the last call.
  private mutating func answer(_ reply: BusReply = .values([])) {
    let numbers = bench.outputs.compactMap { entry -> Int? in
      guard case .bus(.call(let number, _)) = entry.output else { return nil }
      return number
    }
    bench.send(.bus(.reply(numbers.last ?? 0, reply)))
  }

  private mutating func signalMonitor(
    _ member: String, _ device: String = ScriptedBlueZ.device
  ) {
    bench.send(
      .bus(
        .called(
          BusSignal(
            path: "/org/meridian/monitors/ibeacon", interface: BlueZ.monitor, member: member,
            arguments: [.objectPath(device)]))))
  }

  private var samples: [BeaconSample] {
    bench.outputs.compactMap { entry in
      guard case .observation(let sample) = entry.output else { return nil }
      return sample
    }
  }

  private func calls(_ member: String) -> [BusCall] {
    bench.outputs.compactMap { entry in
      guard case .bus(.call(_, let call)) = entry.output, call.member == member else { return nil }
      return call
    }
  }
}

private func line(_ output: BlueZScanner.Output) -> String? {
  switch output {
  case .bus(let action): word(action)
  case .observation: nil
  case .reception(let reception): "\(reception)"
  }
}
