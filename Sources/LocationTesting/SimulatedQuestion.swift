import LocationModel
import Synchronization

/// A question that the system has asked the person for an app.
public struct SimulatedQuestion: Hashable, Sendable {
  /// What is asked.
  public enum Kind: Hashable, Sendable {
    /// Whether the app may know the location: once, while it is used, or not.
    case whenInUse
    /// Whether the app may know the location always.
    case always
    /// Whether an app that has used Always in the background keeps it.
    case reminder
    /// Whether the app may know the exact location for now, for the purpose with this key.
    case fullAccuracy(purposeKey: String)
    /// Whether the app may make this computer a Bluetooth beacon.
    case beaconAdvertising

    init(_ kind: Prompt.Kind) {
      switch kind {
      case .whenInUse: self = .whenInUse
      case .upgrade: self = .always
      case .reminder: self = .reminder
      case .temporaryAccuracy(let purposeKey): self = .fullAccuracy(purposeKey: purposeKey)
      case .beaconAdvertising: self = .beaconAdvertising
      }
    }
  }

  /// What is asked.
  public let kind: Kind
  /// The person's answer; `nil` while the question is open, and when it was withdrawn without one.
  public internal(set) var answer: PersonsAnswer?
}

/// The questions that were asked for an app.
final class QuestionLog: Sendable {
  private struct Asked {
    var question: SimulatedQuestion
    /// `nil` when it is not open any more.
    var id: Prompt.ID?
  }

  private let asked = Mutex<[Asked]>([])

  var questions: [SimulatedQuestion] { asked.withLock { $0.map(\.question) } }

  func add(_ prompt: Prompt) {
    asked.withLock { asked in
      if asked.count == Self.most { asked.removeFirst() }
      let question = SimulatedQuestion(kind: SimulatedQuestion.Kind(prompt.kind))
      asked.append(Asked(question: question, id: prompt.id))
    }
  }

  /// Closes a question, if it is open.
  ///
  /// - Parameters:
  ///   - id: which.
  ///   - answer: the person's answer; `nil` when it was withdrawn.
  func close(_ id: Prompt.ID, _ answer: PromptAnswer?) {
    asked.withLock { asked in
      guard let index = asked.lastIndex(where: { $0.id == id }) else { return }
      asked[index].id = nil
      let isForBeacon = asked[index].question.kind == .beaconAdvertising
      asked[index].question.answer = answer.map { PersonsAnswer($0, isForBeacon: isForBeacon) }
    }
  }

  /// Chosen: more than a test has.
  private static let most = 100
}

extension SimulatedApp {
  /// The questions that the person was asked for the app so far, in order (SIM-29); the newest hundred.
  ///
  /// A question that was withdrawn, as the app ended, and is asked again later is there twice. For example,
  /// an app that asks only after it was introduced:
  ///
  /// ```swift
  /// #expect(app.questions.isEmpty)
  /// model.finishIntroduction()
  /// try await device.advance(by: .seconds(5))
  /// #expect(app.questions.map(\.kind) == [.whenInUse])
  /// ```
  public var questions: [SimulatedQuestion] { asked.questions }
}

extension PersonsAnswer {
  fileprivate init(_ answer: PromptAnswer, isForBeacon: Bool) {
    switch answer {
    case .once: self = .allowOnce
    case .whileUsing: self = .allowWhileUsing
    case .deny: self = .doNotAllow
    case .always: self = .changeToAlways
    case .keepWhileUsing: self = .keepWhileUsing
    case .accept: self = isForBeacon ? .allowBeacon : .allowFullAccuracy
    case .decline: self = isForBeacon ? .doNotAllowBeacon : .keepReducedAccuracy
    case .dismissed: self = .dismiss
    }
  }
}
