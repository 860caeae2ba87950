extension Verb {
  private static let manual = Option(name: "man", summary: "Print the manual page, as roff")

  static let help = Verb(
    name: "help", summary: "Describe each verb",
    operands: [Operand(name: "VERB", summary: "The verb to describe", isOptional: true)],
    options: [manual],
    run: { invocation in
      if invocation.has(manual) { return Output.standard.write(ManualPage.text) }
      guard let name = invocation.operand(0) else { return Output.standard.line(HelpText.overview) }
      guard let verb = Verb.named(name) else {
        throw Failure.usage("there is no verb \"\(name)\"", next: Invocation.suggestion(for: name))
      }
      Output.standard.line(HelpText.text(of: verb))
    })
}
