import LocationModel
import LocationProviders
import TestSupport
import Testing

@Suite("The advertiser of BlueZ")
struct BlueZAdvertiserTests {
  private var bench = Bench(BlueZAdvertiser(), describe: line)

  @Test("BEACON-1: offers a broadcast with the beacon's bytes")
  mutating func advertises() throws {
    begin()
    answer()
    #expect(bench.transcript.hasSuffix("RegisterAdvertisement\n00:00:00  advertising"))
    let object = try #require(exported.first)
    #expect(object.properties["Type"]?.text == "broadcast")
    let data = try #require(object.properties["ManufacturerData"]?.entries?.first)
    #expect(data.key == .uint16(0x4C))
    #expect(data.value.bytes == ScriptedBlueZ.beacon.manufacturerData.payload)
  }

  @Test("withdraws it in the end")
  mutating func stops() {
    begin()
    answer()
    bench.send(.stop)
    #expect(
      bench.transcript.hasSuffix(
        """
        00:00:00  UnregisterAdvertisement
        00:00:00  withdraw /org/meridian/advertisements/ibeacon
        00:00:00  stopped
        """))
  }

  @Test("replaces one beacon by another, and keeps the same")
  mutating func replaces() {
    begin()
    answer()
    let count = bench.outputs.count
    bench.send(.advertise(ScriptedBlueZ.beacon))
    #expect(bench.outputs.count == count)
    var other = ScriptedBlueZ.beacon
    other.measuredPower = -70
    bench.send(.advertise(other))
    answer()
    #expect(exported.count == 2)
    #expect(
      exported.last?.properties["ManufacturerData"]?.entries?.first?.value.bytes?.last == 0xBA)
  }

  @Test("says when no adapter is on, and begins when one is")
  mutating func power() {
    bench.send(.advertise(ScriptedBlueZ.beacon))
    bench.send(.bus(.connected))
    answer(ScriptedBlueZ.objects(powered: false))
    bench.send(.bus(ScriptedBlueZ.power(true)))
    answer()
    bench.send(.bus(ScriptedBlueZ.power(false)))
    #expect(bench.transcript.hasSuffix("advertising\n00:00:00  unavailable"))
    #expect(exported.count == 1)
  }

  @Test("registers again when bluetoothd let it go or was started anew")
  mutating func release() {
    begin()
    answer()
    bench.send(
      .bus(
        .called(
          BusSignal(
            path: "/org/meridian/advertisements/ibeacon", interface: BlueZ.advertisement,
            member: "Release", arguments: []))))
    answer()
    bench.send(.bus(ScriptedBlueZ.owner("")))
    bench.send(.bus(ScriptedBlueZ.owner(":1.7")))
    answer(ScriptedBlueZ.objects())
    answer()
    #expect(exported.count == 3)
    #expect(bench.transcript.hasSuffix("advertising"))
  }

  @Test("names the error of a refusal, and tries again")
  mutating func refused() {
    begin()
    answer(.error("org.bluez.Error.NotPermitted"))
    bench.run(for: .seconds(10))
    answer()
    #expect(
      bench.transcript.hasSuffix(
        """
        00:00:00  refused("org.bluez.Error.NotPermitted")
        00:00:10  export /org/meridian/advertisements/ibeacon
        00:00:10  RegisterAdvertisement
        00:00:10  advertising
        """))
  }

  private mutating func begin() {
    bench.send(.bus(.connected))
    answer(ScriptedBlueZ.objects())
    bench.send(.advertise(ScriptedBlueZ.beacon))
  }

  private mutating func answer(_ reply: BusReply = .values([])) {
    let numbers = bench.outputs.compactMap { entry -> Int? in
      guard case .bus(.call(let number, _)) = entry.output else { return nil }
      return number
    }
    bench.send(.bus(.reply(numbers.last ?? 0, reply)))
  }

  private var exported: [BusObject] {
    bench.outputs.compactMap { entry in
      guard case .bus(.export(let object)) = entry.output else { return nil }
      return object
    }
  }
}

private func line(_ output: BlueZAdvertiser.Output) -> String? {
  switch output {
  case .bus(let action): word(action)
  case .changed(let state): "\(state)"
  }
}
