import LocationModel

/// Signal strengths recorded by one receiver from one beacon that did not move.
package struct RangedRecording: Sendable {
  /// Who recorded it: a pair of body positions, or a phone.
  package var session: String
  /// The phone that received.
  package var receiver: String
  /// The phone that sent.
  package var sender: String
  /// Seconds on the clock of the set.
  package var start: Double
  /// Meters.
  package var distance: Double
  /// Seconds since the first one; the strength in dBm.
  package var samples: [(seconds: Double, rssi: Int)]

  fileprivate var isAtOneMeter: Bool { (0.9...1.0).contains(distance) }
}

/// One of the shared sets of signal strengths.
package struct RecordedSet: Sendable {
  package var name: String
  private var path: String
  /// The columns of a line, by their numbers.
  private var columns: Columns
  /// The columns that a run of lines of one recording has in common.
  private var key: [Int]
  /// Only every third line where a phone received thirty times a second: a beacon sends ten.
  private var stride: Int
  /// Meters in one unit of the distance column.
  private var unit: Double
  /// Whether a session's own recording at one meter calibrates it, and is then not judged;
  /// otherwise the other sessions of the same receiver do.
  private var isCalibratedByItself: Bool

  private struct Columns {
    var session = 0
    var time = 1
    var rssi: Int
    var distance: Int
    var sender: Int?
    var receiver: Int
  }

  package static let all =
    ["mit-matrix", "pact-range-angle"].map(phones) + ["HH", "HP", "PB"].map(androids)

  private static func phones(_ name: String) -> RecordedSet {
    RecordedSet(
      name: name, path: "beacons/rssi-\(name).csv.gz",
      columns: Columns(rssi: 4, distance: 2, sender: 6, receiver: 7), key: [0, 2, 3, 6, 7],
      stride: 3, unit: 0.3048, isCalibratedByItself: false)
  }

  private static func androids(_ name: String) -> RecordedSet {
    RecordedSet(
      name: name, path: "beacons/rssi-smartphone-RSS_human\(name).csv.gz",
      columns: Columns(rssi: 2, distance: 5, sender: nil, receiver: 0), key: [0, 5], stride: 1,
      unit: 0.01, isCalibratedByItself: true)
  }

  /// Returns the recordings in the order of time.
  package func recordings() throws -> [RangedRecording] {
    var found: [[Substring]: Int] = [:]
    var recordings: [RangedRecording] = []
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
        recordings.append(recording(fields, at: distance * unit))
      }
      recordings[index].samples.append((seconds, rssi))
    }
    let parts = recordings.flatMap(Self.parts).enumerated()
    return parts.sorted { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }
      .map(\.element)
  }

  private func recording(_ fields: [Substring], at distance: Double) -> RangedRecording {
    RangedRecording(
      session: String(fields[columns.session]), receiver: String(fields[columns.receiver]),
      sender: columns.sender.map { String(fields[$0]) } ?? "", start: 0, distance: distance,
      samples: [])
  }

  package func isCalibration(_ recording: RangedRecording) -> Bool {
    isCalibratedByItself && recording.isAtOneMeter
  }

  /// Returns the median at one meter in dBm, received elsewhere than in the recording itself;
  /// `nil` where the receiver has none.
  package func powerAtOneMeter(
    for recording: RangedRecording, among recordings: [RangedRecording]
  ) -> Int? {
    let others = recordings.filter { other in
      other.isAtOneMeter && other.receiver == recording.receiver
        && (other.session == recording.session) == isCalibratedByItself
    }
    let received = others.flatMap { $0.samples.map(\.rssi) }.sorted()
    return received.isEmpty ? nil : received[received.count / 2]
  }

  /// Silence of ten seconds begins another recording.
  private static func parts(of recording: RangedRecording) -> [RangedRecording] {
    var parts: [RangedRecording] = []
    var last = -Double.infinity
    for sample in recording.samples.sorted(by: { $0.seconds < $1.seconds }) {
      if sample.seconds - last > 10 {
        parts.append(recording)
        parts[parts.count - 1].start = sample.seconds
        parts[parts.count - 1].samples = []
      }
      last = sample.seconds
      let start = parts[parts.count - 1].start
      parts[parts.count - 1].samples.append((last - start, sample.rssi))
    }
    return parts
  }

  /// What CoreBluetooth says when it could not measure.
  private static let notAvailable = 127
}
