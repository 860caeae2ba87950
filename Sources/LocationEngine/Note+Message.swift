import LocationModel

extension Note {
  /// The message for a developer; `nil` for a note that belongs only into a log.
  package var message: String? {
    switch self {
    case .authorization(let app, .missingUsage(let key, let file)):
      "\(app): \(AuthorizationExplanation.missingUsage(key: key, file: file))"
    case .authorization(let app, .olderAlwaysKey(let file)):
      "\(app): \(AuthorizationExplanation.olderAlwaysKey(file: file))"
    case .session(let app, .missingBackgroundMode(let file)):
      "\(app): \(SessionExplanation.missingBackgroundMode(file: file))"
    case .session(let app, .tooMany(let limit)):
      "\(app): \(SessionExplanation.tooMany(limit: limit))"
    case .limit(let app, let text): "\(app): \(text)"
    case .authorization, .session, .provider, .use, .windows: nil
    case .calibration(let app):
      "\(app): turn the device about all its axes, as along an eight, to calibrate its compass"
    case .unanswerable(let prompt, let reasons):
      "\(prompt.title)\(prompt.asker.map { " (\($0))" } ?? "") Nobody can be asked "
        + (reasons.isEmpty ? "(no agent is configured)" : "(\(reasons.joined(separator: "; ")))")
        + "; answer with: \(prompt.command)"
    case .launched(let app, nil): "\(app): started for an event that waits for it"
    case .launched(let app, let reason?):
      "\(app) has a pending event and cannot be started: \(reason)"
    case .asleep(let app, let text): "\(app): \(text)"
    case .unseen(let app, let reason):
      "\(app) uses the location in the background, and no desktop shows it: \(reason)"
    case .store(let text), .source(let text): text
    }
  }
}
