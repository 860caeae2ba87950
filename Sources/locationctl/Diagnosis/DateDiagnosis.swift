import LocationModel
import LocationProviders
import LocationService

/// That the date of a receiver's fix cannot be right, if this computer's is.
///
/// A receiver that counts the weeks of GPS from a wrong beginning is wrong by 1024 weeks.
struct DateDiagnosis {
  /// How the date differs, for a person.
  let words: String

  /// Compares dates; `nil` where they agree.
  ///
  /// - Parameters:
  ///   - time: the date of a fix.
  ///   - begin: since when fixes have come.
  ///   - now: this computer's date.
  init?(_ time: UnixTime, since begin: UnixTime, at now: UnixTime) {
    let (behind, ahead) = (begin.seconds(since: time), time.seconds(since: now))
    guard max(behind, ahead) > Self.mostSeconds else { return nil }
    let difference = PlainDuration.text(max(behind, ahead))
    words =
      "its date is \(time.plain) UTC, \(difference) \(behind > ahead ? "behind" : "ahead of") "
      + "this computer's"
  }

  /// What doctor says of a source whose fix has just come; `nil` for a recording, and where the date is right.
  static func finding(of report: SourceReport, at now: UnixTime) -> Finding? {
    guard !report.source.isRecording, let time = report.fixTime,
      let date = DateDiagnosis(time, since: now, at: now)
    else { return nil }
    return date.finding(report.source.shownURL)
  }

  /// The same of any source.
  func finding(_ subject: String) -> Finding {
    Finding(
      subject: subject, code: "wrong_date", verdict: .doubtful, message: words,
      next:
        "see which is right: timedatectl; a receiver that is wrong by 1024 weeks (7168 days) or twice "
        + "that needs newer firmware")
  }

  /// Seconds. Chosen: a day, more than any time zone, or delay on the way, makes of it.
  private static let mostSeconds = 86_400.0
}
