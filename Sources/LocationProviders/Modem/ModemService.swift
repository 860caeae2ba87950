package import LocationModel

/// The names and numbers of ModemManager on the bus.
package enum ModemService {
  package static let service = "org.freedesktop.ModemManager1"
  package static let root = "/org/freedesktop/ModemManager1"
  package static let modem = "org.freedesktop.ModemManager1.Modem"
  package static let location = "org.freedesktop.ModemManager1.Modem.Location"

  /// The ways in which a modem knows its place, as bits.
  package enum Source {
    /// The serving cell, as `MCC,MNC,LAC,CI,TAC`.
    package static let cells: UInt32 = 1
    /// Sentences of its satellite receiver.
    package static let sentences: UInt32 = 4
    /// Its satellite receiver is on, and another program, such as gpsd, reads the port.
    package static let unmanaged: UInt32 = 16
  }
}

extension ModemService {
  /// Kinds of assistance data that a modem takes, as bits.
  package enum Assistance {
    /// Qualcomm's gpsOneXTRA: where satellites will be for some days.
    package static let xtra: UInt32 = 1
  }
}

/// Why no modem of this computer gives a position, from the first thing that is missing to the last.
package enum ModemLack: String, CaseIterable, Comparable, Sendable {
  case service = "ModemManager does not run"
  case modem = "there is no modem"
  case failed = "the modem has failed"
  case capability = "the modem reports no cells"
  case sim = "the modem has no SIM"
  case locked = "the SIM of the modem is locked"
  case disabled = "the modem is switched off"
  case permission = "this user may not ask the modem where it is"

  package static func < (left: ModemLack, right: ModemLack) -> Bool {
    left.rank < right.rank
  }

  private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

  package var reason: ProviderStatus.Reason {
    self == .permission ? .noPermission(rawValue) : .missing(rawValue)
  }
}

/// Why an answer of a modem was not used.
package enum ModemRejection: String, CaseIterable, Sendable {
  case refused = "calls that ModemManager does not permit"
  case noAnswer = "calls that a modem did not answer"
  case failed = "calls that a modem could not carry out"
  case unreadable = "cells that cannot be read"
  case impossible = "cells with numbers that no network has"
  case tooMany = "cells beyond those that are read"
  case tooLong = "sentences beyond those that are read"
  case modems = "modems beyond those that are used"
}

/// What ModemManager reports of a modem.
package struct ModemProperties: Hashable, Sendable {
  /// From -1, failed, through 2, locked, 3, disabled, and 6, enabled, to 11, connected.
  package var state = 0
  /// Why it has failed; 2 is a missing SIM.
  package var failure = 0
  /// The lock that it must be freed of; 0 unknown, 1 none.
  package var lock = 1
  /// The access technologies in use, as bits.
  package var technologies: UInt32 = 0
  /// What can be set up; `nil` for a modem that knows nothing of places.
  package var capabilities: UInt32?
  /// What is set up, by whichever program.
  package var enabled: UInt32 = 0
  /// The kinds of assistance data that it takes.
  package var assistance: UInt32 = 0

  package init() {}

  /// Takes what has changed of one interface.
  mutating func apply(_ properties: BusValue, of interface: String) {
    func bits(_ name: String) -> UInt32? {
      properties[name]?.integer.flatMap { UInt32(exactly: $0) }
    }
    switch interface {
    case ModemService.modem:
      state = properties["State"]?.integer ?? state
      failure = properties["StateFailedReason"]?.integer ?? failure
      lock = properties["UnlockRequired"]?.integer ?? lock
      technologies = bits("AccessTechnologies") ?? technologies
    case ModemService.location:
      capabilities = bits("Capabilities") ?? capabilities ?? 0
      enabled = bits("Enabled") ?? enabled
      assistance = bits("SupportedAssistanceData") ?? assistance
    default: break
    }
  }

  /// Whether its satellite receiver can be used: not while another program reads its port.
  var hasReceiver: Bool {
    (capabilities ?? 0) & ModemService.Source.sentences != 0
      && enabled & ModemService.Source.unmanaged == 0
  }

  /// Whether its satellite receiver takes data of XTRA.
  var takesAssistance: Bool { assistance & ModemService.Assistance.xtra != 0 }

  /// What is missing for cells; `nil` when nothing is.
  var lack: ModemLack? {
    if state == Self.failed { return failure == Self.simMissing ? .sim : .failed }
    if state == Self.locked || state < Self.on && lock > Self.unlocked && lock != Self.secondPIN {
      return .locked
    }
    guard let capabilities, capabilities & ModemService.Source.cells != 0 else {
      return .capability
    }
    return state < Self.on ? .disabled : nil
  }

  /// The radio of the serving cell, by the access technologies, else by the form of its identity.
  func radio(area: Int?, tracking: Int?, cell: UInt64) -> CellIdentity.Radio {
    let isNR = technologies & 1 << 15 != 0
    if technologies & (1 << 14 | 1 << 16 | 1 << 17) != 0 { return cell < 1 << 28 ? .lte : .nr }
    if isNR { return .nr }
    if technologies & 0b1_1110_0000 != 0 { return .umts }
    if technologies & 0b1_1110 != 0 { return .gsm }
    if tracking != nil { return cell < 1 << 28 ? .lte : .nr }
    return cell > 0xffff ? .umts : .gsm
  }

  private static let failed = -1
  private static let locked = 2
  private static let on = 6
  private static let simMissing = 2
  private static let unlocked = 1
  /// The second PIN guards some numbers only.
  private static let secondPIN = 3
}
