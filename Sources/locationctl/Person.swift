import LocationEngine
import LocationService
import LocationHost
import LocationModel
import LocationProviders

/// The one who types, as an app of an engine in this process (docs/decisions/0006).
///
/// Authorized by the act of typing; nothing of it is stored.
struct Person: Sendable {
  let host: LocationHost
  let link: PersonLink
  /// The messages of the engine and its sources, as they come; of those that nobody reads, the
  /// newest `Output.unreadReports` are kept.
  let notes: AsyncStream<Note>
  /// Why a daemon that runs, and has the sources of this computer, gives no position here; `nil` where sources
  /// are named.
  private let refusal: Failure?

  static let app = AppIdentity("locationctl")

  /// Records the inputs of its engine where it is asked to, or into `$CORELOCATION_RECORD`.
  ///
  /// - Parameters:
  ///   - sources: the sources that this program opens.
  ///   - isPrecise: whether the person may know the exact place.
  ///   - target: where the inputs are recorded; `nil` leaves it to the environment.
  ///   - isRecorded: whether the inputs are recorded where that is asked for.
  ///   - refusal: why a daemon that may have the position gives none here.
  /// - Throws: `Failure` with why the inputs cannot be recorded.
  init(
    sources: [Source], isPrecise: Bool = true, recordingTo target: RecordingTarget? = nil,
    isRecorded: Bool = true, beside refusal: Failure? = nil
  ) throws(Failure) {
    let (notes, continuation) = AsyncStream.makeStream(
      of: Note.self, bufferingPolicy: .bufferingNewest(Output.unreadReports))
    let target =
      try isRecorded
      ? (target ?? HostEnvironment.current.recordingTarget)?.withKeysOfUser() : nil
    let host = LocationHost(sources: sources, recordingTo: target) { _ = continuation.yield($0) }
    let manifest = Manifest([:], file: "the command table of locationctl")
    link = PersonLink(ClientDescription(app: Self.app, manifest: manifest), over: host)
    host.pass(.setting(.authorization(Self.app, .always)))
    host.pass(.setting(.beacon(Self.app, .allowed)))
    if !isPrecise { host.pass(.setting(.precise(Self.app, false))) }
    self.host = host
    self.notes = notes
    self.refusal = refusal
  }

  /// Whether every source is a recording that came to its end, or that cannot be played.
  var haveRecordingsEnded: Bool {
    host.sourceReports().allSatisfy { report in
      guard case .unavailable(let reason) = report.lastStatus else { return false }
      return reason == .ended || report.source.isRecording
    }
  }

  /// Whether no source can give anything as things are.
  var areSourcesOut: Bool {
    host.sourceReports().allSatisfy {
      if case .unavailable = $0.lastStatus { true } else { false }
    }
  }

  /// Whether a source of positions cannot give any.
  var hasFailed: Bool {
    host.sourceReports().contains { report in
      guard case .unavailable(let reason) = report.lastStatus else { return false }
      return reason != .ended && reason != .noPositions
    }
  }

  /// Why there is no position, in the words of the sources.
  var reason: Failure { silence("no position") }

  /// Why there was no position, by the status of the sources, or by what a daemon says.
  ///
  /// - Parameter what: what is missing.
  /// - Returns: the cause, and the next step.
  func silence(_ what: String) -> Failure {
    .refused(
      "\(what): \(cause)",
      next: refusal?.next ?? "locationctl doctor" + host.sourceReports().sourceWords)
  }

  /// Why the sources give no position now, in their words, or in those of a daemon that has them.
  var cause: String {
    if let refusal { return refusal.cause }
    let causes = host.sourceReports().map { report in
      "\(report.source.shownURL): \(SourceDiagnosis(report).message)"
    }
    return causes.isEmpty ? "no source is named" : causes.joined(separator: "; ")
  }
}

extension Source {
  /// Whether it plays a file, whose dates may be old, and which is read once.
  var isRecording: Bool {
    switch self {
    case .gpx, .log, .fixes: true
    default: false
    }
  }
}

extension RecordingTarget {
  /// The same with the keys of this person's state, as these programs keep none of their own.
  fileprivate func withKeysOfUser() throws(Failure) -> RecordingTarget {
    guard case .state = protection else { return self }
    let state = try SavedState(
      whenHeld:
        "record without a key: locationctl record --plain, or CORELOCATION_RECORD=plain:FILE")
    return RecordingTarget(path, .keys(try state.recordingsKeys()))
  }
}

extension [SourceReport] {
  /// These sources as options, to be typed again.
  fileprivate var sourceWords: String {
    map { " --source '\($0.source.url)'" }.joined()
  }
}

/// The configured sources, and where they were configured.
struct SourceChoice: Sendable {
  enum Origin: Sendable {
    case options, environment, discovery
  }

  var sources: [Source]
  var origin: Origin
  /// The socket of the daemon in use, where nothing names a source; `nil` without one.
  var daemon: String?

  /// `--source`, else `$CORELOCATION_SOURCES`, else discovery.
  init(_ invocation: Invocation, _ environment: HostEnvironment = .current) throws(Failure) {
    let variable = environment.variables[HostEnvironment.sourcesVariable]
    if !invocation.sources.isEmpty {
      origin = .options
      sources = try invocation.sources.map { url throws(Failure) in
        do throws(SourceFault) { return try Source(url: url) } catch {
          throw invocation.usage("\(error)")
        }
      }
    } else if let variable {
      origin = .environment
      sources = try variable.split(separator: " ").map { url throws(Failure) in
        do throws(SourceFault) { return try Source(url: String(url)) } catch {
          throw .usage(
            "$\(HostEnvironment.sourcesVariable): \(error)",
            next: "locationctl \(invocation.verb.name) --source URL")
        }
      }
    } else {
      origin = .discovery
      sources = [HostEnvironment.discovered]
      daemon = DaemonSocket.answering(environment.variables)
    }
  }
}
