import CoreLocation
import Foundation
import HomeLog

/// Prints when this computer comes home and leaves.
@main
struct HomeWatch {
  static func main() async throws {
    let numbers = CommandLine.arguments.dropFirst().first?
      .split(separator: ",").compactMap { Double($0) }
    guard let numbers, numbers.count == 2 else {
      print("usage: HomeWatch LATITUDE,LONGITUDE")
      exit(64)
    }
    let home = CLLocationCoordinate2D(latitude: numbers[0], longitude: numbers[1])
    guard CLLocationCoordinate2DIsValid(home) else {
      print("\(CommandLine.arguments[1]) is no place: degrees, latitude first")
      exit(64)
    }
    let log = HomeLog()
    await log.start(
      home: home,
      note: { say("\($0.date.formatted(.iso8601)) \($0.isHome ? "came home" : "left")") },
      warn: { say($0 ?? "All is well again.") })
    // The log works until the program is ended.
    while true { try await Task.sleep(for: .seconds(86_400)) }
  }

  private static func say(_ line: String) {
    print(line)
    // The journal of systemd is no terminal, where lines would appear at once.
    fflush(nil)
  }
}
