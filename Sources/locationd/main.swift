import Glibc
import LocationDaemon
import LocationHost

/// Prints a fault and exits: 1 if the environment prevents the start, 2 for wrong usage or input.
func refuse(_ fault: DaemonFault, inLog: Bool = false) -> Never {
  let reason = inLog ? fault.loggedReason : fault.reason
  _ = "locationd: \(reason)\n".withCString { write(STDERR_FILENO, $0, strlen($0)) }
  exit(fault.status)
}

do throws(DaemonFault) {
  let options = try DaemonOptions(CommandLine.arguments.dropFirst())
  switch options.task {
  case .help: print(DaemonOptions.help)
  case .version: print(DaemonOptions.version)
  case .check:
    print(try options.check(HostEnvironment.current.variables))
  case .serve:
    let daemon = Daemon(options)
    do throws(DaemonFault) { try daemon.start() } catch {
      // Under systemd standard error goes to the journal.
      refuse(error, inLog: HostEnvironment.current.variables["JOURNAL_STREAM"] != nil)
    }
    daemon.run()
  }
} catch {
  refuse(error)
}
