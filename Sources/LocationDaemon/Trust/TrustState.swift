package import LocationHost
package import LocationLink

/// The daemon's memory for checking who may answer for a person, and who may administer.
package struct TrustState {
  let programs: TrustedPrograms
  var served = ServedProcesses()
  /// Refusals that were logged, so that each is logged once.
  private var logged: Set<String> = []

  package init(_ programs: TrustedPrograms) {
    self.programs = programs
  }

  /// Returns whether a refusal is new, and should be logged.
  package mutating func isNew(_ refusal: AccessRefusal, of mark: ProcessMark) -> Bool {
    if logged.count >= Self.mostLogged { logged = [] }
    return logged.insert("\(mark.pid) \(mark.start) \(refusal.reason)").inserted
  }

  /// The greatest number of refusals to remember. Chosen.
  package static let mostLogged = 512
}
