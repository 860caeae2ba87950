import Glibc

/// Does what was typed; the process ends with the status of the architecture document.
do {
  Output.keepStandardDescriptors()
  let invocation = try Invocation(Array(CommandLine.arguments.dropFirst()))
  if invocation.isHelpWanted {
    Output.standard.line(HelpText.text(of: invocation.verb))
  } else {
    try await invocation.verb.run(invocation)
  }
} catch let failure as Failure {
  Output.error.line(failure.message)
  exit(failure.status)
} catch {
  Output.error.line("locationctl: \(error)")
  exit(1)
}
