package import LocationModel

/// Decides which prompt is shown next, where each one needs a process of its own.
///
/// Each user has few turns at once, so that one user's questions leave room for the others'. What
/// waits is shown in the order in which it came.
package struct AgentTurns<Turn: Sendable>: Sendable {
  /// When a prompt is shown.
  package enum Start: Hashable, Sendable {
    case now, later
    /// Too many of its user wait.
    case never
  }

  private struct Waiting {
    var prompt: Prompt.ID
    var user: UInt32?
    var turn: Turn
  }

  private var shown: [Prompt.ID: UInt32?] = [:]
  private var waiting: [Waiting] = []

  package init() {}

  /// Adds a prompt of a user, `nil` for one whose program is not known.
  package mutating func come(_ prompt: Prompt.ID, of user: UInt32?, _ turn: Turn) -> Start {
    guard !hasRoom(for: user) else {
      shown[prompt] = user
      return .now
    }
    guard waiting.count(where: { $0.user == user }) < Self.mostWaiting else { return .never }
    waiting.append(Waiting(prompt: prompt, user: user, turn: turn))
    return .later
  }

  /// Removes a prompt that waits; `nil` if it does not.
  package mutating func withdraw(_ prompt: Prompt.ID) -> Turn? {
    guard let index = waiting.firstIndex(where: { $0.prompt == prompt }) else { return nil }
    return waiting.remove(at: index).turn
  }

  /// Ends the turn of a prompt, and returns the one that begins.
  package mutating func end(_ prompt: Prompt.ID) -> Turn? {
    shown[prompt] = nil
    guard let index = waiting.firstIndex(where: { hasRoom(for: $0.user) }) else { return nil }
    let next = waiting.remove(at: index)
    shown[next.prompt] = next.user
    return next.turn
  }

  private func hasRoom(for user: UInt32?) -> Bool {
    shown.count < Self.atOnce && shown.values.count { $0 == user } < Self.perUser
  }

  /// Prompts shown at once. Chosen: a person answers one after another.
  package static var perUser: Int { 2 }
  /// Of all users. Chosen: eight persons who are asked.
  package static var atOnce: Int { 16 }
  /// Prompts of a user that wait. Chosen: more than a person answers before they are asked again.
  package static var mostWaiting: Int { 64 }
}
