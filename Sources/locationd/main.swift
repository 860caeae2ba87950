import Glibc
import LocationDaemon
import LocationHost

/// Prints a fault and exits: 1 if the environment prevents the start, 2 for wrong usage or input.
func refuse(_ fault: DaemonFault) -> Never {
  _ = "locationd: \(fault.reason)\n".withCString { write(STDERR_FILENO, $0, strlen($0)) }
  exit(fault.status)
}

do throws(DaemonFault) {
  let options = try DaemonOptions(CommandLine.arguments.dropFirst())
  switch options.task {
  case .help: print(DaemonOptions.help)
  case .version: print(DaemonOptions.version)
  case .check:
    let variables = HostEnvironment.current.variables
    try options.configuration(variables).check()
    print("\(options.configurationFile(variables) ?? "the command line"): no faults")
  case .serve:
    let daemon = Daemon(options)
    try daemon.start()
    daemon.run()
  }
} catch {
  refuse(error)
}
