import LocationModel
import LocationProviders
import TestSupport
import Testing

@Suite("The barometer of the kernel")
struct IIOBarometerTests {
  private static func sensor(_ files: [(String, String)]) -> IIOBarometer.Sensor? {
    IIODeviceTree(files.map { SysfsReading(path: "iio:device0/" + $0.0, text: $0.1) }).barometer
  }

  @Test("RADIO-33: reads kilopascals, or a raw value with offset and scale")
  func units() throws {
    let direct = try #require(Self.sensor([("in_pressure_input", "100.653253906\n")]))
    let sample = try direct.sample(in: reading("in_pressure_input", "100.653253906\n")).get()
    #expect(abs(sample.pressure - 1006.532_539_06) < 1e-9)
    let raw = try #require(
      Self.sensor([
        ("in_pressure_raw", "4000\n"), ("in_pressure_scale", "0.024\n"),
        ("in_pressure_offset", "200\n"),
      ]))
    #expect(
      abs(try raw.sample(in: reading("in_pressure_raw", "4000")).get().pressure - 1008) < 1e-9)
    #expect(Self.sensor([("in_pressure_raw", "4000\n")]) == nil)
    #expect(Self.sensor([("in_temp_input", "25080\n")]) == nil)
  }

  @Test(
    "RADIO-33: rejects what is no pressure of the air",
    arguments: [
      ("", IIOBarometer.Rejection.unreadable), ("nan", .unreadable), ("x", .unreadable),
      ("0", .absurd), ("-100", .absurd), ("1e300", .absurd), ("29.9", .absurd),
    ])
  func damage(text: String, reason: IIOBarometer.Rejection) throws {
    let sensor = try #require(Self.sensor([("in_pressure_input", "100\n")]))
    var barometer = IIOBarometer(sensor)
    _ = barometer.handle(.start(.seconds(1)), at: noon)
    let outputs = barometer.handle(.readings(reading("in_pressure_input", text)), at: noon)
    #expect(outputs == [.rejected(reason)])
  }

  @Test("RADIO-33: is read once at the start, then as often as needed, and not else")
  func need() {
    var bench = Bench(AnyDriver(Source.iio(motion: true).driver))
    bench.send(.stored([]))
    bench.send(.kernel(.opened))
    bench.send(.kernel(.readings(reading("in_pressure_input", "100.1"))))
    #expect(samples(bench) == [1001])
    bench.run(for: .seconds(600))
    #expect(reads(bench) == 0 && bench.machine.nextDeadline == nil)
    var demand = Demand.none
    demand.pressure = .seconds(1)
    bench.send(.demand(demand))
    bench.send(.kernel(.opened))
    bench.run(for: .seconds(10))
    #expect(reads(bench) == 11)
    bench.send(.kernel(.readings(reading("in_pressure_input", "99.9"))))
    #expect(samples(bench) == [1001, 999])
    demand.pressure = .seconds(30)
    bench.send(.demand(demand))
    bench.run(for: .seconds(300))
    #expect(reads(bench) == 22)
    bench.send(.demand(.none))
    #expect(bench.machine.nextDeadline == nil)
    #expect(bench.outputs.last { $0.output == .closeKernel } != nil)
    #expect(bench.machine.driver.evidence.sensors?.quantities.contains(.pressure) == true)
  }

  private func reading(_ name: String, _ text: String) -> [SysfsReading] {
    [SysfsReading(path: "iio:device0/" + name, text: text)]
  }

  private func samples(_ bench: Bench<AnyDriver>) -> [Double] {
    bench.outputs.compactMap { entry in
      if case .sensor(.pressure(let sample)) = entry.output { sample.pressure } else { nil }
    }
  }

  private func reads(_ bench: Bench<AnyDriver>) -> Int {
    bench.outputs.count { $0.output == .read(.files(["iio:device0/in_pressure_input"])) }
  }
}
