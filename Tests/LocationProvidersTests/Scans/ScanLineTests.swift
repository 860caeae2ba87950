import LocationModel
import LocationProviders
import TestSupport
import Testing

@Suite("A program that sends what its radios receive")
struct ScanLineTests {
  private static func line(accessPoints: [Int], cells: [Int]) -> String {
    let points = accessPoints.enumerated().map { number, age in
      "{\"macAddress\":\"00:11:22:33:\(44 + number):00\",\"signalStrength\":-60,\"age\":\(age)}"
    }
    let towers = cells.enumerated().map { number, age in
      "{\"radioType\":\"lte\",\"mobileCountryCode\":262,\"mobileNetworkCode\":1,"
        + "\"locationAreaCode\":5,\"cellId\":\(1234 + number),\"age\":\(age)}"
    }
    return "{\"wifiAccessPoints\":[\(points.joined(separator: ","))],"
      + "\"cellTowers\":[\(towers.joined(separator: ","))]}\n"
  }

  @Test("SIM-17: what is written of access points and cells is read as it was")
  func written() throws {
    let lte = CellIdentity(radio: .lte, country: 262, network: 1, area: 5, cell: 0x12_3401)
    let gsm = CellIdentity(radio: .gsm, country: 1, network: 10, area: nil, cell: 77)
    let readings = [
      RadioScan.Reading(.accessPoint(BSSID(0x0011_2233_4455)), level: -61),
      RadioScan.Reading(.cell(gsm), level: nil),
      RadioScan.Reading(.cell(lte), level: -101, isServing: true),
    ]
    let line = ScanLine.write(RadioScan(readings, time: UnixTime(seconds: 1_700_000_000)))
    var bench = Bench(AnyDriver(try Source(url: "scans+tcp://127.0.0.1:7001").driver))
    var demand = Demand.none
    demand.position = PositionDemand(tier: .network, interval: .seconds(1))
    bench.send(.demand(demand))
    bench.send(.channel(.opened))
    bench.send(.channel(.bytes(line)))
    let read = bench.outputs.compactMap { entry in
      if case .scan(let scan) = entry.output { scan.readings } else { nil }
    }
    #expect(read == [readings])
    #expect(bench.machine.driver.rejections.isEmpty)
  }

  @Test("RADIO-3: access points that were not heard for 30 s, and cells for 60 s, are refused")
  func ages() throws {
    var bench = Bench(AnyDriver(try Source(url: "scans+tcp://127.0.0.1:7001").driver))
    var demand = Demand.none
    demand.position = PositionDemand(tier: .network, interval: .seconds(1))
    bench.send(.demand(demand))
    bench.send(.channel(.opened))
    let line = Self.line(
      accessPoints: [0, 30_000, 30_001, 3_000_000], cells: [60_000, 61_000, 3_000_000])
    bench.send(.channel(.bytes(Array(line.utf8))))
    let scans = bench.outputs.compactMap { entry in
      if case .scan(let scan) = entry.output { scan } else { nil }
    }
    #expect(scans.count == 1)
    #expect(scans.first?.readings.map(\.age).sorted() == [0, 30, 60])
    let rejections = bench.machine.driver.rejections
    #expect(rejections.map(\.count) == [4])
    let reason = try #require(rejections.first?.reason)
    #expect(reason.hasPrefix("access points that were not heard for 30 s"))
  }
}
