import CoreLocation
import LocationEngine
import LocationHost
import LocationModel
import LocationProviders

/// An app that reads live updates in its own process; also runs as a program of its own, so that
/// its cost can be counted.
enum Reader {
  static let name = "--reader"

  /// `--reader URL COUNT [FILE]`: prints a line for each fix, as the C client of libgps does, and
  /// records into a file.
  static func run(_ words: [String]) async throws -> Never {
    var left = Int(words[2]) ?? 1
    try await read(words[1], recordingTo: words.dropFirst(3).first) { location in
      print(location.coordinate.latitude, location.coordinate.longitude)
      fflush(nil)
      left -= 1
      return left > 0
    }
    exit(0)
  }

  /// Calls the body of a loop over live updates until it wants no more.
  static func read(
    _ url: String, recordingTo file: String? = nil, _ body: (CLLocation) -> Bool
  ) async throws {
    let app = AppIdentity("benchmark")
    let target = file.map { RecordingTarget($0, .none) }
    let host = LocationHost(sources: [try Source(url: url)], recordingTo: target)
    let client = LocationClient(ClientDescription(app: app, manifest: Manifest()), over: host)
    host.pass(.setting(.authorization(app, .always)))
    try await LocationClient.$bound.withValue(client) {
      for try await update in CLLocationUpdate.liveUpdates() {
        guard let location = update.location else { continue }
        guard body(location) else { return }
      }
    }
  }
}
