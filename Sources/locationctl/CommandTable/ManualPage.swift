import LocationProviders

/// The manual page `locationctl(1)`, made from the command table.
enum ManualPage {
  static var text: String {
    let verbs = Verb.all.map { section(of: $0) }.joined(separator: "\n")
    return """
      .\\" Made by `locationctl help --man`; do not edit.
      .TH LOCATIONCTL 1 "" "Meridian \(Verb.versionNumber)" "User Commands"
      .SH NAME
      locationctl \\- locations, and why there are none
      .SH SYNOPSIS
      .B locationctl
      .I VERB
      [\\fIOPTION\\fR...] [\\fIOPERAND\\fR...]
      .SH DESCRIPTION
      Shows where the device is, decides which app may know it, and explains each silence.
      .SH VERBS
      \(verbs)
      .SH SOURCES
      \(sources)
      .SH EXIT STATUS
      0 done; 1 refused, or not possible here, with the reason on standard error; 2 wrong usage or bad input.
      .SH ENVIRONMENT
      \(environment)
      .SH SEE ALSO
      .BR locationd (8),
      .BR locationfleet (8)

      """
  }

  private static var sources: String {
    let forms = SourceForm.all.map { form in
      [".TP", ".B " + escaped(form.form), escaped(form.summary) + "."].joined(separator: "\n")
    }
    return """
      A URL behind \\fB\\-\\-source\\fR, in \\fBCORELOCATION_SOURCES\\fR, or in the configuration of
      .BR locationd (8),
      which has more about some of them.
      \(forms.joined(separator: "\n"))
      .PP
      \(escaped(SourceForm.common))
      """
  }

  private static let environment = """
    .TP
    .B CORELOCATION_RECORD
    The file in which the engine of this process records its inputs, encrypted; \\fIplain:FILE\\fR is not.
    .TP
    .B CORELOCATION_SOURCES
    Source URLs, separated by spaces, used where no \\fB\\-\\-source\\fR is given.
    .TP
    .B CORELOCATION_CONDITIONS_PER_APP
    How many conditions and regions one app may monitor, or \\fIunlimited\\fR; else 20. For apps on
    their own; \\fBlocationd\\fR reads \\fIconditions-per-app\\fR from its configuration.
    .TP
    .B CORELOCATION_IN_USE
    \\fIassumed\\fR: an app on its own counts as in use, also in the background of its terminal or as a
    service; \\fBlocationd\\fR reads \\fIin-use\\fR from its configuration.
    .TP
    .B CORELOCATION_PAUSE_NEEDS_RESTART
    \\fIyes\\fR: location updates of an app on its own that were paused resume only when it starts them
    again; \\fBlocationd\\fR reads \\fIpause-needs-restart\\fR from its configuration.
    .TP
    .B CORELOCATION_SIGNIFICANT_CHANGE_HEARTBEAT
    The longest time without a significant change for a device at rest, 5m or more, such as \\fI15m\\fR;
    else none. For apps on their own; \\fBlocationd\\fR reads \\fIsignificant-change-heartbeat\\fR from its
    configuration.
    .TP
    .B CORELOCATION_AGENTS
    Who answers an app on its own when it asks, such as \\fIpolicy:FILE terminal\\fR; empty for nobody.
    \\fBlocationd\\fR reads \\fIagent\\fR from its configuration.
    .TP
    .B CORELOCATION_INDICATOR
    \\fIno\\fR: an app on its own does not show on the desktop that it uses the location.
    .TP
    .B CORELOCATION_SECRET_SERVICE
    \\fIno\\fR: the keyring of the session is not used; the key of a state that begins lies in a file.
    .TP
    .B CORELOCATION_SIMULATION
    \\fIno\\fR: the place of an app on its own cannot be set with \\fBlocationctl location\\fR.
    .TP
    .B CORELOCATION_GEOCODER
    A web geocoder to ask instead of this machine's indexes: \\fInominatim+https://HOST\\fR or
    \\fIphoton+https://HOST\\fR; with http only on this machine. It receives places to 11 m,
    and never more exactly than they are known; a redirect to another server is not followed.
    .TP
    .B LOCATIOND_SOCKET
    The socket of the daemon to use; empty for none. Else the daemon of this user, then that of the
    machine, if it answers.
    .TP
    .B MERIDIAN_CONSOLE
    The folder of the console's page, where it is not installed.
    .TP
    .B MERIDIAN_PLACES, MERIDIAN_STREETS
    The place index and the address index, where they are not installed.
    .TP
    .B XDG_STATE_HOME
    The state lies in its folder \\fImeridian\\fR; else in \\fI~/.local/state/meridian\\fR. The folder must
    belong to you, and nobody else may write there. A daemon has it alone; apps with an engine of
    their own and \\fBlocationctl\\fR share it.
    .TP
    .B NO_COLOR
    When set and not empty, nothing is printed in color.
    """

  private static func section(of verb: Verb) -> String {
    var lines = [".SS " + escaped(verb.synopsis), escaped(verb.summary) + "."]
    for paragraph in verb.details { lines += [".PP", escaped(paragraph)] }
    for operand in verb.operands {
      lines += [".TP", ".I " + operand.name, escaped(HelpText.about(operand)) + "."]
    }
    for option in verb.options {
      lines += [".TP", ".B " + escaped(option.usage), escaped(option.summary) + "."]
    }
    for example in verb.examples { lines += [".PP", ".EX", escaped(example), ".EE"] }
    return lines.joined(separator: "\n")
  }

  /// Dashes as typed, and no line that roff would take for a request.
  private static func escaped(_ text: String) -> String {
    var escaped = ""
    for character in text {
      switch character {
      case "\\": escaped += "\\e"
      case "-": escaped += "\\-"
      case "…": escaped += "..."
      default: escaped.append(character)
      }
    }
    return escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&" + escaped : escaped
  }
}
