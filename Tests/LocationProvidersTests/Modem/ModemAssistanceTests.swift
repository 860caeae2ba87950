import LocationModel
import LocationProviders
import TestSupport
import Testing

@Suite("The assistance data of a modem")
struct ModemAssistanceTests {
  private static let path = "/var/lib/xtra3grc.bin"
  private static let data: [UInt8] = [1, 2, 3]
  private static let receiver = ScriptedModem.Modem(capabilities: 5, enabled: 1, assistance: 1)

  private func modem(
    _ modems: [String: ScriptedModem.Modem] = ["/m/0": receiver], named: Bool = true
  ) -> ScriptedModem {
    var modem = ScriptedModem(modems, assistance: named ? Self.path : nil)
    modem.file = .success(Self.data)
    return modem
  }

  @Test("RADIO-86: is given to a receiver that was switched on, once each time that it is needed")
  func start() {
    var modem = modem()
    modem.need(.satellite)
    modem.run(for: 20)
    #expect(modem.given.map(\.data) == [Self.data])
    let order = modem.members.filter { ["Setup", "InjectAssistanceData"].contains($0) }
    #expect(order == ["Setup", "InjectAssistanceData"])
    #expect(modem.bench.machine.driver.evidence.assistance == .given(bytes: 3))
    #expect(modem.outputs.contains(.open(.contents(path: Self.path, most: 1 << 20))))
    modem.need(.network)
    modem.run(for: 20)
    modem.need(.satellite)
    modem.run(for: 20)
    #expect(modem.given.count == 2)
    #expect(modem.count("GetLocation") > 30)
    modem.need(nil)
    #expect(modem.isClosed && modem.bench.machine.nextDeadline == nil)
  }

  @Test("RADIO-86: is given again when the file is another one, as which it is read once an hour")
  func change() {
    var modem = modem()
    modem.need(.satellite, every: 60)
    modem.run(for: 3610)
    #expect(modem.reads == 2 && modem.given.count == 1)
    modem.file = .success([4])
    modem.run(for: 3600)
    #expect(modem.reads == 3)
    #expect(modem.given.map(\.data) == [Self.data, [4]])
  }

  @Test(
    "RADIO-86: is given to the modem whose receiver is used, also when that is another one then")
  func several() {
    var modem = modem(["/m/0": .init(assistance: 1), "/m/1": Self.receiver, "/m/2": Self.receiver])
    modem.need(.satellite)
    modem.run(for: 5)
    modem.unplug("/m/1")
    modem.run(for: 5)
    #expect(modem.given.map(\.path) == ["/m/1", "/m/2"])
  }

  @Test(
    "RADIO-86: is neither read nor given for a lower tier, where another program reads the port, or unnamed",
    arguments: [
      (PositionTier.network, receiver, true), (.cell, receiver, true),
      (.satellite, .init(capabilities: 21, enabled: 17, assistance: 1), true),
      (.satellite, .init(capabilities: 1, assistance: 1), true), (.satellite, receiver, false),
    ] as [(PositionTier, ScriptedModem.Modem, Bool)])
  func never(tier: PositionTier, properties: ScriptedModem.Modem, isNamed: Bool) {
    var modem = modem(["/m/0": properties], named: isNamed)
    modem.need(tier)
    modem.run(for: 20)
    #expect(modem.reads == 0 && !modem.members.contains("InjectAssistanceData"))
    #expect(modem.bench.machine.driver.rejections.isEmpty)
  }

  @Test("RADIO-86: is not given once another program has the port, or the receiver is not needed")
  func late() {
    for isNeeded in [true, false] {
      var modem = modem()
      modem.isFileSlow = true
      modem.need(.satellite)
      modem.run(for: 2)
      if isNeeded {
        modem.change("/m/0") { $0.enabled = 21 }
      } else {
        modem.need(.cell)
      }
      #expect(modem.outputs.contains(.closeKernel))
      modem.readFile()
      modem.run(for: 20)
      #expect(modem.given.isEmpty, "\(isNeeded)")
    }
  }

  @Test("RADIO-87: a modem that takes none is counted, nothing is read, and its positions come")
  func unsupported() {
    var plain = Self.receiver
    plain.assistance = 2
    var modem = modem(["/m/0": plain])
    modem.need(.satellite)
    modem.modems["/m/0"]?.sentences = ScriptedModem.sentences(second: 1)
    modem.run(for: 20)
    #expect(modem.reads == 0 && modem.fixes.count == 1)
    #expect(modem.faults(.unsupported) == 1)
    #expect(modem.bench.machine.driver.evidence.assistanceFault == .unsupported)
  }

  @Test(
    "RADIO-87: a file that is missing, closed, empty, or too large is counted, and read again later",
    arguments: [
      (.failure(.init(end: .missing("open: none"))), .missing),
      (.failure(.init(end: .noPermission("open: denied"))), .unreadable),
      (.failure(.init(end: .failed("no regular file"))), .unreadable),
      (.success([]), .size), (.success([UInt8](repeating: 7, count: 1 << 20 + 1)), .size),
    ] as [(Result<[UInt8], ScriptedModem.FileFault>, ModemAssistanceFault)])
  func files(file: Result<[UInt8], ScriptedModem.FileFault>, fault: ModemAssistanceFault) {
    var modem = modem()
    modem.file = file
    modem.need(.satellite, every: 60)
    modem.modems["/m/0"]?.sentences = ScriptedModem.sentences(second: 1)
    modem.run(for: 120)
    #expect(modem.given.isEmpty && modem.reads == 1 && modem.fixes.count == 1)
    #expect(modem.faults(fault) == 1)
    #expect(modem.bench.machine.driver.evidence.assistanceFault == fault)
    modem.file = .success(Self.data)
    modem.run(for: 3600)
    #expect(modem.given.count == 1)
    #expect(modem.bench.machine.driver.evidence.assistance == .given(bytes: 3))
  }

  @Test("RADIO-87: the largest file that is permitted is given whole")
  func largest() {
    var modem = modem()
    let data = [UInt8](repeating: 7, count: 1 << 20)
    modem.file = .success(data)
    modem.need(.satellite)
    modem.run(for: 2)
    #expect(modem.given.first?.data == data)
  }

  @Test(
    "RADIO-87: a modem that refuses is counted, not asked again, and its positions come",
    arguments: [
      ("org.freedesktop.ModemManager1.Error.Core.Unauthorized", .permission),
      ("org.freedesktop.DBus.Error.AccessDenied", .permission),
      ("org.freedesktop.ModemManager1.Error.Core.Unsupported", .unsupported),
      ("org.freedesktop.ModemManager1.Error.Core.TooMany", .refused),
      ("org.freedesktop.DBus.Error.NoReply", .noAnswer),
    ] as [(String, ModemAssistanceFault)])
  func refusals(error: String, fault: ModemAssistanceFault) {
    var modem = modem()
    modem.errors["InjectAssistanceData"] = error
    modem.need(.satellite, every: 60)
    modem.run(for: 3600)
    modem.modems["/m/0"]?.sentences = ScriptedModem.sentences(second: 1)
    modem.run(for: 120)
    #expect(modem.count("InjectAssistanceData") == 1)
    #expect(modem.fixes.count == 1 && modem.status == .working)
    #expect(modem.faults(fault) == 1)
    #expect(modem.bench.machine.driver.evidence.assistanceFault == fault)
  }

  @Test("RADIO-86: a modem that is slow to take it holds nobody who ends")
  func slow() {
    var modem = modem()
    modem.silent = ["InjectAssistanceData"]
    modem.need(.satellite)
    modem.run(for: 5)
    #expect(modem.count("InjectAssistanceData") == 1)
    modem.need(nil)
    #expect(modem.isClosed && modem.modems["/m/0"]?.enabled == 1)
  }
}
