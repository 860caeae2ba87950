import Foundation
import LocationHost
import LocationModel
import LocationProviders
import LocationService
import Testing

@Suite("The link of the time zone")
struct TimeZoneTests {
  private func report(linking target: String?) throws -> SourceReport {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var places = HostPaths()
    places.timeZone = folder.appending(path: "localtime").path
    if let target {
      try FileManager.default.createSymbolicLink(
        atPath: places.timeZone, withDestinationPath: target)
    }
    let host = LocationHost(sources: [.zone], places: places)
    return try #require(host.sourceReports().first)
  }

  @Test("RADIO-40: is read, whether or not its target exists")
  func link() throws {
    let report = try report(linking: "/usr/share/zoneinfo/Europe/Zurich")
    #expect(report.status == .working && report.fixes == 1)
  }

  @Test("RADIO-40: is missing, or names no place, with a reason")
  func missing() throws {
    for target in [nil, "/usr/share/zoneinfo/Etc/UTC"] {
      let status = try report(linking: target).status
      guard case .unavailable(.missing) = status else {
        Issue.record("\(target ?? "no link"): \(status)")
        continue
      }
    }
  }
}
