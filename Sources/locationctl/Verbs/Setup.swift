import Glibc
import LocationHost
import LocationProviders
import Synchronization

extension Verb {
  private static let yes = Option.isSure("Write and start without a question")
  private static let remove = Option(
    name: "remove", summary: "Take the configuration back, with the one before it put in place")
  private static let root = Option(
    name: "root", value: .text("FOLDER"),
    summary: "Look at, and write into, a folder that stands for /; starts nothing")

  static let setup = Verb(
    name: "setup", summary: "Find what gives positions here, and configure the location daemon",
    details: [
      """
      Looks for gpsd, serial ports with NMEA at any usual baud rate, modems, Wi-Fi and Bluetooth \
      adapters, and sensors; asks; writes a configuration with the reason for each source; prints \
      the first position that they give, or why there is none; and starts the service. While it \
      looks, the service and its socket are stopped, for a serial port has one reader; they go on \
      if nothing is written, and if setup is interrupted.
      """,
      """
      As root it configures the daemon of the machine (/etc/locationd.conf), else the one of your \
      user. A configuration that is there already is kept beside it, as .before-setup, or \
      .before-setup-2 and so on, and one of setup's own that somebody has edited since as .edited-1, or the next \
      number; sources that are not used any more are \
      named. Where gpsd answers, it has the receivers, and no serial port is opened. --remove puts the \
      configuration that was kept last back and starts the service with it; where there was none, the \
      service and its socket are stopped. Setup enables both; --remove disables those that were not enabled before \
      setup, by what setup has noted in its configuration.
      """,
    ],
    options: [yes, remove, root],
    examples: ["sudo locationctl setup", "locationctl setup --yes", "locationctl setup --remove"],
    run: { invocation in
      let folder = invocation.text(root) ?? ""
      guard folder.isEmpty || access(folder + "/.", F_OK) == 0 else {
        throw invocation.usage("--root: \(folder) is no folder")
      }
      let isRoot = getuid() == 0
      guard
        let file = SetupFile.standard(
          root: folder, isRoot: isRoot, HostEnvironment.current.variables)
      else { throw Failure.refused("$HOME is not set", next: "set it, or run as root") }
      let service = folder.isEmpty ? SetupService(isSystem: isRoot) : nil
      guard !invocation.has(remove) else { return try takeBack(file, service) }
      // Before ports are listened to: each has one reader, and listening changes its speed.
      let pause = service.map { SetupPause($0) }
      let signals = pause.map(interruptions)
      pause?.begin()
      Output.beforeFault.withLock { $0 = { pause?.end() } }
      defer {
        Output.beforeFault.withLock { $0 = {} }
        pause?.end()
        signals?.end()
      }
      let plan = SetupPlan(for: probe(folder))
      show(plan, file)
      guard !plan.sources.isEmpty else {
        throw Failure.refused(
          "nothing here gives positions; nothing was written",
          next: "connect a receiver, and locationctl setup again, or write into \(file.path): "
            + "source = fixed:LATITUDE,LONGITUDE")
      }
      let consequence =
        "Writes \(file.path)" + (service == nil ? "." : ", and starts the service.")
      try invocation.confirm(consequence, "setup")
      let enabling = service?.unitsToEnable(with: file.enabled) ?? file.enabled
      try write(plan, enabling, to: file, pause)
      guard let pause else { return }
      // Before the service has the ports again.
      try await showFirst(of: plan)
      try pause.start()
      Output.standard.line("the service is running")
    })

  /// Has the signals that end a program start again what was stopped, and end it with their status.
  private static func interruptions(_ pause: SetupPause) -> EndSignals {
    EndSignals { number in
      pause.interrupt { text in
        // In place of the seconds that are shown, and of what the terminal shows for the key.
        if Output.error.isTerminal { Output.error.write("\r\u{1b}[K") }
        Output.error.line(text)
        // `exit` would wait for the thread that reads the answer.
        _exit(128 + number)
      }
    }
  }

  private static func write(
    _ plan: SetupPlan, _ enabling: [String], to file: SetupFile, _ pause: SetupPause?
  ) throws(Failure) {
    let settings = file.settings
    let text = plan.configuration(keeping: settings, enabling: enabling)
    func store() throws(Errno) -> String? { try file.write(text) }
    do throws(Errno) {
      let kept = if let pause { try pause.uninterrupted(store) } else { try store() }
      if let kept {
        Output.standard.line("kept what was there as \(kept)")
      }
    } catch {
      let asRoot = getuid() == 0 ? nil : "sudo locationctl setup"
      let next = error.code == EEXIST ? "move the files that are kept beside it away" : asRoot
      throw .refused("\(error)", next: next)
    }
    let kept = settings.map { "; kept \($0)" }.joined()
    Output.standard.line("wrote \(file.path)\(kept)")
  }

  private static func probe(_ folder: String) -> MachineParts {
    let output = Output.standard
    return MachineProbe(root: folder, gpsd: folder.isEmpty ? Source.gpsdPort : nil).parts {
      output.line("\($0) …")
    }
  }

  private static func show(_ plan: SetupPlan, _ file: SetupFile) {
    Output.standard.line("Sources to use:")
    for source in plan.sources { Output.standard.line("  \(source.url)  (\(source.reason))") }
    for url in file.sources where !plan.sources.contains(where: { $0.url == url }) {
      let shown = (try? Source(url: url))?.shownURL ?? "\(url.prefix { $0 != ":" }):…"
      Output.standard.line("  no longer used: \(shown)")
    }
    for note in plan.notes { Output.standard.line("  note: \(note)") }
  }

  private static func takeBack(_ file: SetupFile, _ service: SetupService?) throws(Failure) {
    let enabled = file.enabled
    do throws(Errno) {
      let isRemoved = try file.remove { Output.standard.line("kept what was edited as \($0)") }
      guard isRemoved else {
        throw Errno(code: ENOENT, call: "find what locationctl setup wrote at \(file.path)")
      }
    } catch { throw .refused("\(error)", next: nil) }
    Output.standard.line("removed \(file.path)")
    let isBack = access(file.path, F_OK) == 0
    if isBack { Output.standard.line("put back what was there before") }
    guard let service, isBack || service.isThere else { return }
    // First: a configuration with which the service does not start is no reason to leave it enabled.
    let disabled = try service.disable(enabled).joined(separator: " ")
    let rest = "what was enabled before setup stays enabled"
    Output.standard.line(disabled.isEmpty ? rest : "disabled what setup had enabled: \(disabled)")
    try isBack ? service.restart() : service.end()
    let outcome = isBack ? "running" : "stopped: there was no configuration before"
    Output.standard.line("the service is \(outcome)")
  }

  /// Prints the first position that the sources give, or what `doctor` finds.
  private static func showFirst(of plan: SetupPlan) async throws {
    let sources = plan.sources.flatMap { ["--source", $0.url] }
    do {
      let once = try Invocation(["once", "--timeout", "20"] + sources)
      try await once.verb.run(once)
    } catch {
      Output.standard.line("there is no position yet:")
      let doctor = try Invocation(["doctor"] + sources)
      // What it finds is printed, and no reason to start nothing.
      try? await doctor.verb.run(doctor)
    }
  }
}
