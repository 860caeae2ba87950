import LocationLink
import LocationModel

// What the daemon knows of the moment, as a person reads it.

extension Coordinate {
  /// As `48.137, 11.575`.
  var words: String { "\(latitude), \(longitude)" }
}

extension OwnFixStatus {
  /// As `3 s ago, within 12 m: refused, lessAccurate`.
  var words: String {
    let fate = reason.map { "\(use), \($0)" } ?? use
    let at = place.map { " at \($0.words)" } ?? ""
    return "\(time.age), within \(Int(accuracy.rounded())) m\(at): \(fate)"
  }
}

extension Satellite {
  /// The name as in RINEX: a letter for the system and the number, such as `G12`.
  var name: String {
    let letter =
      switch system {
      case .gps: "G"
      case .sbas: "S"
      case .galileo: "E"
      case .beidou: "C"
      case .imes: "M"
      case .qzss: "J"
      case .glonass: "R"
      case .navic: "I"
      }
    return letter + (number < 10 ? "0\(number)" : "\(number)")
  }

  /// Its row in a table: name, elevation, azimuth, signal, use.
  var words: [String] {
    [name] + [elevation, azimuth, signal].map { $0.map { "\(Int($0.rounded()))" } ?? "" }
      + [isUsed ? "yes" : ""]
  }

  /// Of many, in a line: `12 of 20 in use, the strongest 48 dB-Hz`.
  static func summary(_ satellites: [Satellite]) -> String {
    let strongest = satellites.compactMap(\.signal).max()
    return "\(satellites.count(where: \.isUsed)) of \(satellites.count) in use"
      + (strongest.map { ", the strongest \(Int($0.rounded())) dB-Hz" } ?? "")
  }
}

extension Heading {
  var words: String {
    let error = accuracy.map { " ± \(Int($0.rounded()))°" } ?? ", not calibrated or disturbed"
    let north = trueHeading == nil ? "magnetic" : "true"
    return "\(Int((trueHeading ?? magneticHeading).rounded()))° \(north)\(error)"
  }
}

extension MotionStatus {
  var words: String {
    let pace = "\((speed * 10).rounded() / 10) m/s by the fixes"
    return (activity.map { "\($0), " } ?? "") + pace
      + (isDoubting ? "; the newest fix waits to be confirmed" : "")
  }
}

extension BeliefStatus {
  /// As `unsatisfied 83 % likely, decided at 95 %`.
  var words: String {
    "\(towards) \(percent(probability)) % likely, decided at \(percent(threshold)) %"
  }

  /// Rounded down, so that what is not decided does not look like it.
  private func percent(_ share: Double) -> Int { Int(share * 100) }
}

extension VisitStatus {
  var words: String {
    let begin = arrival.map { "since \($0.plain) UTC" } ?? "since before this was watched"
    let at = place.map { " at \($0.words)" } ?? ""
    return begin + at + (departure.map { "; its end is \($0.words)" } ?? "")
  }
}
