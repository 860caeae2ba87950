/// What a shell offers while a command is typed, made from the command table.
enum CompletionScript: String, CaseIterable {
  case bash, zsh, fish

  var text: String {
    switch self {
    case .bash: Self.bashText
    case .zsh: Self.zshText
    case .fish: Self.fishText
    }
  }

  private static var verbs: String { Verb.all.map(\.name).joined(separator: " ") }

  private static func words(of verb: Verb) -> String {
    let options = (verb.options + [.help]).map { "--\($0.name)" }
    return (options + verb.operands.flatMap { $0.choices + $0.hints }).joined(separator: " ")
  }

  private static var bashText: String {
    let cases = Verb.all.map { "    \($0.name)) words=\"\(words(of: $0))\" ;;" }
    let choices = Verb.all.flatMap { verb in
      verb.options.filter { !$0.choices.isEmpty }.map { option in
        "    \(verb.name):--\(option.name)) words=\"\(option.choices.joined(separator: " "))\" ;;"
      }
    }
    return """
      # bash completion for locationctl
      _locationctl() {
        local words="\(verbs)" verb="${COMP_WORDS[1]}" before="${COMP_WORDS[COMP_CWORD-1]}"
        if [ "$COMP_CWORD" -gt 1 ]; then
          case "$verb" in
      \(cases.joined(separator: "\n"))
          *) words="" ;;
          esac
          case "$verb:$before" in
      \(choices.joined(separator: "\n"))
          esac
        fi
        COMPREPLY=($(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}"))
      }
      complete -o default -F _locationctl locationctl

      """
  }

  private static var zshText: String {
    let rows = Verb.all.map { "    '\(quoted($0.name)):\(quoted($0.summary))'" }
    let cases = Verb.all.map { verb in
      let options = (verb.options + [.help]).map { option in
        let repeats = option.repeats ? "*" : ""
        let offered = option.isFile ? "_files" : "(\(option.choices.joined(separator: " ")))"
        let value = option.value == .none ? "" : ":\(option.name):\(offered)"
        return "'\(repeats)--\(option.name)[\(quoted(option.summary))]\(value)'"
      }
      let operands = verb.operands.map { operand in
        "'\(operand.repeats ? "*" : operand.isOptional ? ":" : "")"
          + ":\(operand.name):\(offered(operand))'"
      }
      return "    \(verb.name)) _arguments \((options + operands).joined(separator: " ")) ;;"
    }
    return """
      #compdef locationctl
      _locationctl() {
        local -a verbs=(
      \(rows.joined(separator: "\n"))
        )
        if (( CURRENT == 2 )); then
          _describe verb verbs
          return
        fi
        local verb=$words[2]
        shift words
        (( CURRENT-- ))
        case $verb in
      \(cases.joined(separator: "\n"))
        esac
      }
      compdef _locationctl locationctl

      """
  }

  /// What zsh offers for an operand.
  private static func offered(_ operand: Verb.Operand) -> String {
    let words = operand.choices + operand.hints
    return words.isEmpty ? "_files" : "(\(words.joined(separator: " ")))"
  }

  private static var fishText: String {
    var lines = ["# fish completion for locationctl", "complete -c locationctl -f"]
    for verb in Verb.all {
      lines.append(
        "complete -c locationctl -n __fish_use_subcommand -a \(verb.name)"
          + " -d '\(quoted(verb.summary))'")
      let seen = "complete -c locationctl -n '__fish_seen_subcommand_from \(verb.name)'"
      for option in verb.options + [.help] {
        let value =
          option.choices.isEmpty
          ? (option.value == .none ? "" : option.isFile ? " -r -F" : " -r")
          : " -x -a '\(option.choices.joined(separator: " "))'"
        lines.append(seen + " -l \(option.name)\(value) -d '\(quoted(option.summary))'")
      }
      let choices = verb.operands.flatMap { $0.choices + $0.hints }
      if !choices.isEmpty { lines.append(seen + " -a '\(choices.joined(separator: " "))'") }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// For single quotes, and without the marks that mean something to zsh.
  private static func quoted(_ text: String) -> String {
    text.filter { !"'[]:".contains($0) }
  }
}
