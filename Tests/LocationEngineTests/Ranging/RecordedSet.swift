import LocationModel
import TestSupport

/// Signal strengths recorded by one receiver from one beacon that did not move.
struct Recording {
  /// Who recorded it: a pair of body positions, or a phone.
  var session: String
  /// Meters.
  var distance: Double
  /// Seconds since the first one; the strength in dBm.
  var samples: [(seconds: Double, rssi: Int)]
}

/// One of the shared sets of signal strengths.
struct RecordedSet {
  var name: String
  private var path: String
  /// The columns of session, time, strength, and distance; a recording is one run of the
  /// columns in `key`.
  private var columns: (session: Int, time: Int, rssi: Int, distance: Int)
  private var key: [Int]
  /// Only every third line where a phone received thirty times a second: a beacon sends ten.
  private var stride: Int
  /// Meters in one unit of the distance column.
  private var unit: Double
  /// Whether a session's own recording at one meter calibrates it, and is then not judged;
  /// otherwise the other sessions' do.
  private var isCalibratedByItself: Bool

  static let all =
    ["mit-matrix", "pact-range-angle"].map(phones) + ["HH", "HP", "PB"].map(androids)

  private static func phones(_ name: String) -> RecordedSet {
    RecordedSet(
      name: name, path: "beacons/rssi-\(name).csv.gz", columns: (0, 1, 4, 2), key: [0, 2, 3, 6, 7],

      stride: 3, unit: 0.3048, isCalibratedByItself: false)
  }

  private static func androids(_ name: String) -> RecordedSet {
    RecordedSet(
      name: name, path: "beacons/rssi-smartphone-RSS_human\(name).csv.gz", columns: (0, 1, 2, 5),
      key: [0, 5], stride: 1, unit: 0.01, isCalibratedByItself: true)
  }

  func recordings() throws -> [Recording] {
    var found: [[Substring]: Int] = [:]
    var recordings: [Recording] = []
    let lines = Array(try SharedData.bytes(path)).split(separator: UInt8(ascii: "\n"))
    for (number, bytes) in lines.dropFirst().enumerated() where number % stride == 0 {
      let fields = String(decoding: bytes, as: UTF8.self).split(
        separator: ",", omittingEmptySubsequences: false)
      guard let seconds = Double(fields[columns.time]), let rssi = Int(fields[columns.rssi]),
        let distance = Double(fields[columns.distance]), rssi != Self.notAvailable
      else { continue }
      let name = key.map { fields[$0] }
      let index = found[name, default: recordings.count]
      if index == recordings.count {
        found[name] = index
        let session = String(fields[columns.session])
        recordings.append(Recording(session: session, distance: distance * unit, samples: []))
      }
      recordings[index].samples.append((seconds, rssi))
    }
    return recordings.flatMap(Self.parts)
  }

  func isCalibration(_ recording: Recording) -> Bool {
    isCalibratedByItself && Self.isAtOneMeter(recording)
  }

  /// dBm: the median at one meter, received elsewhere than in the recording itself.
  func measuredPower(for recording: Recording, among recordings: [Recording]) -> Double {
    let others = recordings.filter { other in
      Self.isAtOneMeter(other) && (other.session == recording.session) == isCalibratedByItself
    }
    let received = others.flatMap { $0.samples.map(\.rssi) }.sorted()
    return received.isEmpty ? -59 : Double(received[received.count / 2])
  }

  private static func isAtOneMeter(_ recording: Recording) -> Bool {
    (0.9...1.0).contains(recording.distance)
  }

  /// Silence of ten seconds begins another recording.
  private static func parts(of recording: Recording) -> [Recording] {
    var parts: [Recording] = []
    var last = -Double.infinity
    var start = 0.0
    for sample in recording.samples.sorted(by: { $0.seconds < $1.seconds }) {
      if sample.seconds - last > 10 {
        start = sample.seconds
        parts.append(recording)
        parts[parts.count - 1].samples = []
      }
      last = sample.seconds
      parts[parts.count - 1].samples.append((last - start, sample.rssi))
    }
    return parts
  }

  /// What CoreBluetooth says when it could not measure.
  private static let notAvailable = 127
}
