import CoreLocation

/// An app that watches one place, for as long as it may: what it hears while it does not run starts
/// it again. Given the name of a file that is there, it removes the file and crashes before it asks
/// for an event.
@main
struct MonitorApp {
  static func main() async {
    let launch = ProcessInfo.processInfo.environment["LOCATIOND_LAUNCH"] ?? "by hand"
    say("started \(launch)")
    let session = CLServiceSession(authorization: .always)
    let monitor = await CLMonitor("places")
    if let mark = CommandLine.arguments.dropFirst().first, unlink(mark) == 0 {
      say("crashes")
      exit(1)
    }
    let center = CLLocationCoordinate2D(latitude: 48.5, longitude: 11.5)
    await monitor.add(
      CLMonitor.CircularGeographicCondition(center: center, radius: 200), identifier: "home")
    do {
      for try await event in await monitor.events {
        say("event \(event.identifier) \(event.state == .satisfied ? "in" : "out")")
      }
    } catch { say("\(error)") }
    withExtendedLifetime(session) {}
  }
}

func say(_ text: String) {
  FileHandle.standardOutput.write(Data("\(text)\n".utf8))
}
