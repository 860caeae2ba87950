import LocationModel
import LocationProviders
import LocationService
import TestSupport
import Testing

@Suite("The first position after a start, at a place that the map knows")
struct FirstFixTests {
  private static let map: [StateEntry] = {
    guard var teacher = try? MapBench() else { return [] }
    teacher.start()
    teacher.walk(90)
    teacher.run(seconds: 61)
    return teacher.rows
  }()

  /// The first position, and after how many seconds it came.
  private func first(
    heard age: Double, scanTime: Double = 4, connected: UInt64? = nil
  ) throws -> (error: Double, after: Double) {
    var computer = try WiFiStart(
      map: Self.map, at: 30, heard: .seconds(age), scanTime: .seconds(scanTime),
      connected: connected)
    computer.start()
    computer.run(seconds: 30)
    let (fix, after) = try #require(computer.first)
    #expect(fix.origin.method == .accessPoints)
    return (MapBench.error(of: fix, at: 30), after)
  }

  @Test("RADIO-36: comes at once from what the kernel heard lately", arguments: [0.0, 10, 29])
  func cached(age: Double) throws {
    let (error, after) = try first(heard: age)
    #expect(after <= 1, "after \(after) s")
    #expect(error < 15)
  }

  @Test(
    "RADIO-36: comes with the results of a scan, which is asked for at once, where nothing was heard lately",
    arguments: [(31.0, 4.2), (600, 5.6)])
  func scanned(age: Double, scanTime: Double) throws {
    let (error, after) = try first(heard: age, scanTime: scanTime)
    #expect(after <= 6 && after > scanTime - 0.01, "after \(after) s")
    #expect(error < 15)
  }

  @Test(
    "RADIO-36: one access point, to which the computer is connected, does not put off the first scan",
    arguments: [900, 3])
  func connected(number: UInt64) throws {
    let (_, after) = try first(heard: 100, scanTime: 4.2, connected: number)
    #expect(after <= (number == 3 ? 1 : 6), "after \(after) s")
  }
}
