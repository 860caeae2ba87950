import LocationHost
import LocationLink

/// What the daemon remembers to tell who may answer for a person, and who may administer.
struct TrustState {
  let programs: TrustedPrograms
  var served = ServedProcesses()
  /// Refusals that were written to the log, so that each is written once.
  private var logged: Set<String> = []

  init(_ programs: TrustedPrograms) {
    self.programs = programs
  }

  /// Whether a refusal is new, and should be logged.
  mutating func isNew(_ refusal: AccessRefusal, of mark: ProcessMark) -> Bool {
    if logged.count >= Self.mostLogged { logged = [] }
    return logged.insert("\(mark.pid) \(mark.start) \(refusal.reason)").inserted
  }

  /// Chosen.
  private static let mostLogged = 512
}
