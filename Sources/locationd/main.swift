import Dispatch
import Glibc
import LocationHost

/// Says what is wrong, and ends with the status for wrong usage or bad input.
func refuse(_ fault: DaemonFault) -> Never {
  _ = "locationd: \(fault.reason)\n".withCString { write(STDERR_FILENO, $0, strlen($0)) }
  exit(2)
}

do throws(DaemonFault) {
  let options = try DaemonOptions(CommandLine.arguments.dropFirst())
  switch options.task {
  case .help: print(DaemonOptions.help)
  case .check:
    let variables = HostEnvironment.current.variables
    try options.configuration(variables).check()
    print("\(options.configurationFile(variables) ?? "the command line"): no faults")
  case .serve:
    let daemon = Daemon(options)
    try daemon.start()
    withExtendedLifetime(daemon) { dispatchMain() }
  }
} catch {
  refuse(error)
}
