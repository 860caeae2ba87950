import CoreLocation

/// An app that monitors places which lie around a recorded way, and says each event it has handled.
///
/// With `add N` it sets N conditions first, and says each one when its record is confirmed.
@main
struct MonitorApp {
  static func main() async throws {
    let monitor = await CLMonitor("places")
    let arguments = CommandLine.arguments
    let count = arguments.count > 2 && arguments[1] == "add" ? Int(arguments[2]) ?? 0 : 0
    for number in 0..<count {
      let center = CLLocationCoordinate2D(latitude: 48.5, longitude: 11.5 + Double(number) / 100)
      await monitor.add(
        CLMonitor.CircularGeographicCondition(center: center, radius: 200),
        identifier: "place-\(number)", assuming: .unsatisfied)
    }
    say("monitors \(await monitor.identifiers.sorted().joined(separator: " "))")
    for try await event in await monitor.events {
      say("event \(event.identifier) \(event.state.rawValue)")
    }
  }
}

func say(_ text: String) {
  FileHandle.standardOutput.write(Data("\(text)\n".utf8))
}
