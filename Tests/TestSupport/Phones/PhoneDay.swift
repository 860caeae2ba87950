package import Foundation
package import LocationModel

/// One recorded phone on one day: its fixes as they were delivered, and what its carrier did.
package struct PhoneDay: Sendable {
  package struct Delivered: Sendable {
    package var fix: Fix
    package var delivered: UnixTime

    package init(fix: Fix, delivered: UnixTime) {
      self.fix = fix
      self.delivered = delivered
    }
  }

  package struct MotionReport: Sendable {
    package var activity: MotionActivity
    package var time: UnixTime
  }

  package struct Trip: Sendable {
    package var start: UnixTime
    package var end: UnixTime
  }

  /// `TIMELINE/RUN/PHONE`.
  package var name: String
  package var fixes: [Delivered]
  /// All that was recorded, where `fixes` are only those that an engine asked for.
  package var path: [Delivered]
  /// The reports of the motion sensor, where recorded.
  package var motion: [MotionReport]
  package var trips: [Trip]
  /// When the recording began and ended.
  package var span: (start: UnixTime, end: UnixTime)

  /// Whether no further constant may be chosen by this day: every second of the shared runs,
  /// which are numbered evenly (docs/conditions-tradeoff.md).
  package var isHeldBack: Bool {
    let run = name.split(separator: "/").dropLast().last.map { $0.drop { !$0.isNumber } }
    return run.flatMap { Int($0) }.map { $0 % 4 == 2 } ?? false
  }

  /// Reads `PHONE-locations.csv.gz` and the truth of the run beside it, which one of the phones
  /// recorded for all; `nil` without either.
  package init?(phone: String, in folder: URL) throws {
    let locations = folder.appending(path: "\(phone)-locations.csv.gz")
    let truths = try ["ios-1", "android-1"].compactMap {
      try Table.rows(of: folder.appending(path: "\($0)-truth.csv.gz"))
    }
    guard let rows = try Table.rows(of: locations),
      let marks = truths.max(by: { $0.count < $1.count })
    else { return nil }
    name = folder.pathComponents.suffix(2).joined(separator: "/") + "/" + phone
    fixes = rows.compactMap { Self.delivered($0) }.sorted { $0.delivered < $1.delivered }
    path = fixes
    motion = try Self.motion(of: phone, in: folder)
    let times = marks.compactMap { row -> (name: String, time: UnixTime)? in
      guard let mark = row["transition"], let time = row["ts"].flatMap(Double.init) else {
        return nil
      }
      return (mark, UnixTime(seconds: time))
    }
    trips = []
    var started: UnixTime?
    for mark in times {
      if mark.name == "START_EVALUATION_TRIP" { started = mark.time }
      guard mark.name == "STOP_EVALUATION_TRIP", let start = started else { continue }
      trips.append(Trip(start: start, end: mark.time))
      started = nil
    }
    guard let first = times.first, let last = times.last, !fixes.isEmpty else { return nil }
    span = (first.time, last.time)
  }

  /// The phones that a command names: `[FOLDER [PHONE…]]`, by default the shared runs with the
  /// phones that recorded without pause; says so when there are none.
  package static func chosen(_ arguments: ArraySlice<String>) throws -> [PhoneDay] {
    let shared = ProcessInfo.processInfo.environment["MERIDIAN_SHARED"] ?? "../shared"
    let folder = arguments.first ?? shared + "/data/traces/mobilitynet"
    let wanted = arguments.count > 1 ? Set(arguments.dropFirst()) : ["ios-1", "android-1"]
    let days = try all(below: URL(filePath: folder)) {
      wanted.contains($0) || wanted.contains("all")
    }
    if days.isEmpty {
      print("no recorded phones below \(folder): set MERIDIAN_SHARED or name a folder")
    }
    return days
  }

  /// Every phone of a folder of runs that has fixes, in the order of names.
  package static func all(below folder: URL, phones: (String) -> Bool) throws -> [PhoneDay] {
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    let urls = (files?.allObjects as? [URL] ?? []).sorted { $0.path < $1.path }
    return try urls.compactMap { url in
      let name = url.lastPathComponent
      guard name.hasSuffix("-locations.csv.gz") else { return nil }
      let phone = String(name.dropLast("-locations.csv.gz".count))
      guard phones(phone) else { return nil }
      return try PhoneDay(phone: phone, in: url.deletingLastPathComponent())
    }
  }

  /// The phones below a folder that recorded without pause; by default the shared ones.
  package static func withoutPause(in folder: String? = nil) throws -> [PhoneDay] {
    let shared = ProcessInfo.processInfo.environment["MERIDIAN_SHARED"] ?? "../shared"
    return try all(below: URL(filePath: folder ?? shared + "/data/traces/mobilitynet")) {
      $0 == "ios-1" || $0 == "android-1"
    }
  }

  private static func delivered(_ row: [String: String]) -> Delivered? {
    func number(_ name: String) -> Double? { row[name].flatMap(Double.init) }
    guard let time = number("ts"), let latitude = number("latitude"),
      let longitude = number("longitude"), let accuracy = number("hacc"), accuracy > 0
    else { return nil }
    var fix = Fix(
      coordinate: Coordinate(latitude: latitude, longitude: longitude),
      horizontalAccuracy: accuracy, time: UnixTime(seconds: time))
    // iOS says -1 for an unknown speed; Android fixes of these logs say 0 for it as well.
    if let speed = number("speed"), speed > 0 || (speed == 0 && number("vacc") != nil) {
      fix.speed = speed
    }
    let delivered = max(number("delivered_ts") ?? time, time)
    return Delivered(fix: fix, delivered: UnixTime(seconds: delivered))
  }

  /// iOS tells changes, and the logs date them by when they began, as judged later: the phone knew
  /// some seconds after that. Android tells what it sees every few seconds, and stops doing so while
  /// it lies still; after any other silence nothing is known.
  private static func motion(of phone: String, in folder: URL) throws -> [MotionReport] {
    let rows = try Table.rows(of: folder.appending(path: "\(phone)-motion.csv.gz")) ?? []
    let reports = rows.compactMap { row -> MotionReport? in
      guard let time = row["ts"].flatMap(Double.init), let name = row["activity"],
        let activity = MotionActivity(logged: name, row["confidence"] ?? "")
      else { return nil }
      return MotionReport(activity: activity, time: UnixTime(seconds: time))
    }.sorted { $0.time < $1.time }
    guard rows.first?["activity"].flatMap(Int.init) != nil else {
      return reports.map {
        MotionReport(activity: $0.activity, time: $0.time + .seconds(recognition))
      }
    }
    return zip(reports, reports.dropFirst().map { Optional($0) } + [nil]).flatMap { report, next in
      let end = report.time + .seconds(30)
      if report.activity.kind == .stationary || next.map({ $0.time <= end }) ?? false {
        return [report]
      }
      return [report, MotionReport(activity: MotionActivity(.unknown), time: end)]
    }
  }

  /// Seconds until a sensor knows what began: those of our own, for a walk and for rest;
  /// `$MERIDIAN_RECOGNITION` tries others.
  private static let recognition =
    ProcessInfo.processInfo.environment["MERIDIAN_RECOGNITION"].flatMap(Double.init) ?? 10
}

extension MotionActivity {
  /// As the logs say it: names and a word on iOS, numbers and percents on Android; `nil` for what
  /// names no activity of its own.
  fileprivate init?(logged name: String, _ confidence: String) {
    if let percent = Int(confidence) {
      let kinds: [String: Kind] = [
        "0": .automotive, "1": .cycling, "2": .walking, "3": .stationary, "4": .unknown,
        "7": .walking, "8": .running,
      ]
      guard let kind = kinds[name] else { return nil }
      self.init(kind, percent >= 75 ? .high : percent >= 50 ? .medium : .low)
    } else {
      // A ride that stands still is reported as both.
      let kind = name.split(separator: "+").compactMap { Kind(rawValue: String($0)) }.last
      self.init(kind ?? .unknown, Confidence(rawValue: confidence) ?? .low)
    }
  }
}
