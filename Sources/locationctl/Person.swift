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

  static let app = AppIdentity("locationctl")

  /// Records the inputs of its engine where it is asked to, or into `$CORELOCATION_RECORD`.
  init(
    sources: [Source], isPrecise: Bool = true, recordingTo target: RecordingTarget? = nil
  ) throws(Failure) {
    let (notes, continuation) = AsyncStream.makeStream(
      of: Note.self, bufferingPolicy: .bufferingNewest(Output.unreadReports))
    let target = try (target ?? HostEnvironment.current.recordingTarget)?.withKeysOfUser()
    let host = LocationHost(sources: sources, recordingTo: target) { _ = continuation.yield($0) }
    let manifest = Manifest([:], file: "the command table of locationctl")
    link = PersonLink(ClientDescription(app: Self.app, manifest: manifest), over: host)
    host.pass(.setting(.authorization(Self.app, .always)))
    host.pass(.setting(.beacon(Self.app, .allowed)))
    if !isPrecise { host.pass(.setting(.precise(Self.app, false))) }
    self.host = host
    self.notes = notes
  }

  /// Whether every source is a recording that came to its end.
  var haveRecordingsEnded: Bool {
    host.sourceReports().allSatisfy { $0.lastStatus == .unavailable(.ended) }
  }

  /// Whether no source can give anything as things are.
  var areSourcesOut: Bool {
    host.sourceReports().allSatisfy {
      if case .unavailable = $0.lastStatus { true } else { false }
    }
  }

  /// Why there is no position, in the words of the sources.
  var reason: Failure { silence("no position") }

  /// Why there was no position, by the status of the sources.
  func silence(_ what: String) -> Failure {
    let reports = host.sourceReports()
    let causes = reports.map { report in
      "\(report.source.shownURL): \(SourceDiagnosis(report).message)"
    }
    let cause = causes.isEmpty ? "no source is named" : causes.joined(separator: "; ")
    return .refused("\(what): \(cause)", next: "locationctl doctor" + reports.sourceWords)
  }
}

extension RecordingTarget {
  /// The same with the keys of this person's state, as these programs keep none of their own.
  fileprivate func withKeysOfUser() throws(Failure) -> RecordingTarget {
    guard case .state = protection else { return self }
    return RecordingTarget(path, .keys(try SavedState().recordingsKeys()))
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
    }
  }
}
