/// The description of the agents' interface that the daemon returns: the text of
/// `org.meridian.agent.varlink`.
package enum AgentInterface {
  package static let name = "org.meridian.agent"

  /// The same text as the file; a test compares them.
  package static let description = #"""
    # How a program that can reach a person answers the questions of apps for them.
    #
    # A program of the user that an app belongs to may answer for that app; root, and the user that the
    # daemon runs as, for every app. It must be registered in the daemon's configuration (`agent-program`),
    # or be the installed locationctl on a terminal, or with notifications of the person's desktop; no app may
    # be behind it. Nobody else is shown a question. Ignore members that you do not know.
    interface org.meridian.agent

    # The program that asks, as the daemon has verified it: its path, the number of its user, the folder
    # of its Flatpak, and whether only root and the daemon's user can replace it.
    type Program (path: string, user: int, package: ?string, protected: bool)

    # An app asks for permission.
    type Question (
      # `app` and `number` name the question.
      app: string,
      number: int,
      # whenInUse, upgrade, reminder, temporaryAccuracy, beaconAdvertising
      kind: string,
      # The answers that it can have, besides dismissed: once, whileUsing, deny; always,
      # keepWhileUsing; accept, decline.
      answers: []string,
      # What the app says of itself: the name that people know it by, and its own reason. Show them with
      # control characters escaped.
      name: string,
      text: string,
      # For temporaryAccuracy: the key of the reason.
      purpose: ?string,
      # Whether the person may choose between the exact and the rough place.
      offersPrecise: bool,
      program: ?Program
    )

    # A question is moot: somebody has answered it, or the app has gone.
    type Withdrawal (app: string, number: int)

    # The questions that are open and those to come, one reply each. Call with `more`; close the
    # connection to stop. A question comes with a token, which its answer must repeat. `shownBy` is for the
    # installed locationctl where it asks by notifications of a desktop and not on a terminal: the process
    # that shows them, which must be the same user's, and no app.
    method Attend(shownBy: ?int) -> (question: ?Question, withdrawn: ?Withdrawal, token: ?string)

    # Says what the person has answered, on a connection that attends. `precise` is true when it is
    # missing, `shownBy` as above. Without the token of the question it is refused: what a process wrote
    # before it became the agent's program is not the agent's answer.
    method Answer(
      app: string, number: int, answer: string, precise: ?bool, token: string, shownBy: ?int
    ) -> ()

    # There is no such question, or it is not for you, or it cannot be answered so.
    error NoSuchQuestion ()

    # This process may not answer for a person: why, and what a person does about it.
    error NotAgent (reason: string, next: ?string)

    """#
}
