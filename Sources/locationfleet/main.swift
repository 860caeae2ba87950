import Glibc
import LocationFleet
import LocationFleetNATS

/// Prints a fault and exits: 1 if the environment is in the way, 2 for wrong usage or input.
func refuse(_ text: String, _ status: Int32) -> Never {
  Log.line("locationfleet: \(text)")
  exit(status)
}

/// Names the file in which something is missing.
func requireNothingMissing(
  _ what: String, _ missing: String?, _ options: FleetOptions
) throws(FleetFault) {
  guard let missing else { return }
  throw FleetFault(reason: "\(options.shownPlace): \(what): there is \(missing)")
}

do throws(FleetFault) {
  let options = try FleetOptions(Array(CommandLine.arguments.dropFirst()))
  guard options.task != .help else {
    try Printout.line(FleetOptions.help)
    exit(0)
  }
  if options.task == .version {
    try Printout.line(FleetOptions.version)
    exit(0)
  }
  if options.task == .password {
    try FleetTasks.printHash()
    exit(0)
  }
  if options.task == .seed {
    try AccessFiles.printSeed()
    exit(0)
  }
  if options.task == .doctor {
    try DoctorTask(options).run()
    exit(0)
  }
  let all = try options.configuration()
  let configuration = all.ingress.fleet
  switch options.task {
  case .help, .version, .password, .seed, .doctor: break
  case .ingress:
    try requireNothingMissing("ingress", all.ingress.missing, options)
    var process = try IngressProcess(all.ingress)
    try process.run()
  case .checkIngress:
    try requireNothingMissing("ingress", all.ingress.missing, options)
    let accounts = try IngressProcess.check(all.ingress)
    try ConfigurationCheck(all, options.shownPlace).run(accounts: accounts)
  case .sink(let kind):
    let kind = kind ?? .webhook
    try requireNothingMissing("sink \(kind.rawValue)", all.missing(kind), options)
    var process = try SinkProcess(all, kind, name: options.name)
    try process.run()
  case .checkSink(let kind):
    try requireNothingMissing("sink \(kind.rawValue)", all.missing(kind), options)
    var outlet = try SinkProcess.outlet(all, kind)
    outlet.close()
    try ConfigurationCheck(all, options.shownPlace).run()
  case .schema: try Printout.write(Array(PostGISTable(all.postgis.table).schema.utf8))
  case .refused: try FleetTasks(configuration).printRefused()
  case .forgetSink(let name): try FleetTasks(configuration).forgetSink(name)
  case .check: try ConfigurationCheck(all, options.shownPlace).run(keys: true)
  case .run: try WorkerProcess(configuration, name: options.name).run()
  case .initialize: try FleetTasks(configuration).initialize()
  case .streams: try StreamTask(configuration).run()
  case .fences(let path):
    try FenceTask(all.ingress).publish(path, isConfirmed: options.isConfirmed)
  case .checkFences(let path): try FenceTask(all.ingress).check(path)
  case .publish:
    var task = PublishTask(configuration)
    try task.run()
  case .events: try FleetTasks(configuration).printEvents()
  case .erase(let names):
    let name = FleetDeviceName(tenant: names[0], device: names[1])
    try ErasureTask(configuration).erase(name, wait: options.wait)
  case .eraseAll(let name):
    let task = TenantErasureTask(configuration, name)
    try task.confirm(options.isConfirmed)
    try task.run(wait: options.wait)
  case .tenantKey(let name):
    try FleetTasks(configuration).makeKey(of: name == "-" ? "" : name)
  case .expire: try RetentionTask(all.ingress).run(wait: options.wait)
  case .erasures: try ErasureTask(configuration).printAll()
  }
} catch {
  refuse(error.reason, error.status)
}
