import Glibc
import LocationFleet
import LocationFleetNATS

/// Prints a fault and exits: 1 if the environment is in the way, 2 for wrong usage or input.
func refuse(_ text: String, _ status: Int32) -> Never {
  Log.line("locationfleet: \(text)")
  exit(status)
}

do throws(FleetFault) {
  let options = try FleetOptions(Array(CommandLine.arguments.dropFirst()))
  guard options.task != .help else {
    print(FleetOptions.help)
    exit(0)
  }
  let configuration = try options.configuration()
  switch options.task {
  case .help: break
  case .check: print("\(options.file ?? "the defaults"): no faults")
  case .run: try WorkerProcess(configuration, name: options.name).run()
  case .initialize: try FleetTasks(configuration).initialize()
  case .fences(let path): try FleetTasks(configuration).publishFences(path)
  case .publish: try FleetTasks(configuration).publish()
  case .events: try FleetTasks(configuration).printEvents()
  }
} catch {
  refuse(error.reason, error.status)
}
