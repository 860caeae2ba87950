import LocationCoding
import LocationEngine
import LocationHost
import LocationLink
import LocationModel

extension Verb {
  static let services = Verb(
    name: "services", summary: "Switch location services on or off, for every app",
    details: ["The switch of the whole machine; running apps are notified at once."],
    operands: [
      Operand(
        name: "ON_OR_OFF", summary: "What to switch to; shows the current setting unless given",
        choices: ["on", "off"], isOptional: true)
    ],
    options: [.json], examples: ["locationctl services", "locationctl services off"],
    run: { invocation in
      let word = invocation.operand(0)
      let isOn = try RunningDaemon.find().map { daemon in
        if let word { try daemon.perform(.services(on: word == "on")) }
        let status: DaemonStatus = try daemon.ask(.status(places: false), "status")
        return status.servicesEnabled
      }
      try show(isOn ?? stored(word), invocation)
    })

  /// Without a daemon: the switch of this person's apps.
  private static func stored(_ word: String?) throws(Failure) -> Bool {
    let state = try SavedState()
    guard let word else { return state.servicesAreOn }
    try state.commit([Setting.servicesChange(word == "on")])
    return word == "on"
  }

  private static func show(_ isOn: Bool, _ invocation: Invocation) {
    guard invocation.has(.json) else {
      return Output.standard.line("location services are \(isOn ? "on" : "off")")
    }
    var line = JSONLine(type: "services")
    line.add("services_enabled", flag: isOn)
    Output.standard.line(line.text)
  }
}
