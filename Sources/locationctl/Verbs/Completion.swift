extension Verb {
  static let completion = Verb(
    name: "completion", summary: "Print a completion script for a shell",
    operands: [
      Operand(
        name: "SHELL", summary: "The shell", choices: CompletionScript.allCases.map(\.rawValue))
    ],
    examples: [
      "locationctl completion bash > ~/.local/share/bash-completion/completions/locationctl",
      "locationctl completion zsh > ~/.zfunc/_locationctl",
      "locationctl completion fish > ~/.config/fish/completions/locationctl.fish",
    ],
    run: { invocation in
      guard let script = invocation.operand(0).flatMap({ CompletionScript(rawValue: $0) }) else {
        throw invocation.usage("SHELL is missing")
      }
      Output.standard.write(script.text)
    })
}
