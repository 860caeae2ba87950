import LocationModel
import LocationProviders
import TestSupport
import Testing

@Suite("The modem")
struct ModemDriverTests {
  private static let serving = Transmitter.cell(
    CellIdentity(radio: .lte, country: 262, network: 2, area: 0xc1d, cell: 0x1a2b301))

  @Test("RADIO-20: tells the serving cell and its neighbors, each once, with their levels")
  func cells() throws {
    var modem = ScriptedModem()
    modem.modems["/m/0"]?.cells = [
      ScriptedModem.lte(cell: "1A2B301", level: -88), ScriptedModem.lte(level: -150),
    ]
    modem.need(.cell)
    let scan = try #require(modem.scans.first)
    #expect(
      scan.readings.map(\.transmitter) == [
        Self.serving, .neighbor(CellChannel(radio: .lte, channel: 1300, physical: 31)),
      ])
    #expect(scan.readings.map(\.level) == [-88, -130])
    #expect(scan.readings.map(\.isServing) == [true, false])
    #expect(modem.status == .working)
    #expect(modem.bench.machine.driver.evidence.cells == 2)
  }

  @Test("RADIO-20: asks every ten seconds, or as rarely as positions are needed")
  func spacing() {
    var modem = ScriptedModem()
    modem.need(.cell)
    modem.run(for: 60)
    #expect(modem.count("GetLocation") == 7)
    modem.need(.cell, every: 60)
    modem.run(for: 120)
    #expect(modem.count("GetLocation") == 9)
  }

  @Test("RADIO-21: asks nothing while nobody needs a position, and leaves what others set up")
  func rest() {
    var modem = ScriptedModem()
    modem.run(for: 60)
    #expect(modem.outputs.isEmpty && modem.bench.machine.nextDeadline == nil)
    modem.need(.cell)
    modem.need(nil)
    #expect(!modem.members.contains("Setup"))
    #expect(modem.isClosed && modem.bench.machine.nextDeadline == nil)
    #expect(modem.status == .idle)
  }

  @Test("RADIO-21: adds what it needs to what is set up, and takes only that away")
  func setup() {
    var modem = ScriptedModem(["/m/0": .init(capabilities: 7, enabled: 2)])
    modem.need(.satellite)
    #expect(modem.modems["/m/0"]?.enabled == 7)
    modem.need(.network)
    modem.run(for: 20)
    #expect(modem.modems["/m/0"]?.enabled == 3)
    modem.need(nil)
    #expect(modem.modems["/m/0"]?.enabled == 2)
    #expect(modem.isClosed)
  }

  @Test("RADIO-21: takes away what an earlier run has set up, although nobody needs a position")
  func leftOver() throws {
    var first = ScriptedModem(["/m/0": .init(capabilities: 7, enabled: 2)])
    first.need(.satellite)
    let entries = first.outputs.compactMap { output -> StateEntry? in
      guard case .store(.set(let key, let value)) = output else { return nil }
      return StateEntry(key: key, value: value)
    }
    var second = ScriptedModem(first.modems)
    second.send(.stored([try #require(entries.last)]))
    #expect(second.modems["/m/0"]?.enabled == 2)
    #expect(
      second.isClosed
        && second.outputs.contains { if case .store(.remove) = $0 { true } else { false } })
    #expect(second.bench.machine.nextDeadline == nil)
  }

  @Test("RADIO-21: an announcement before the answer does not hide what was set up")
  func announcement() {
    var modem = ScriptedModem(["/m/0": .init(capabilities: 7, enabled: 2)])
    modem.silent = ["Setup"]
    modem.need(.satellite)
    modem.change("/m/0") { $0.enabled = 7 }
    modem.silent = []
    modem.replyToLast()
    modem.need(nil)
    #expect(modem.modems["/m/0"]?.enabled == 2)
  }

  @Test(
    "RADIO-22: the satellite receiver gives positions, only where the tier of satellites is needed")
  func satellites() throws {
    var modem = ScriptedModem(["/m/0": .init(capabilities: 5, enabled: 1)])
    modem.need(.network)
    modem.run(for: 20)
    #expect(modem.modems["/m/0"]?.enabled == 1)
    modem.need(.satellite)
    for second in 0..<5 {
      modem.modems["/m/0"]?.sentences = ScriptedModem.sentences(second: second)
      modem.run(for: 1)
    }
    let fix = try #require(modem.fixes.first)
    #expect(abs(fix.coordinate.latitude - 52.5) < 1e-9 && fix.altitude == 40)
    #expect(fix.origin.method == .receiver)
    #expect((4...5).contains(modem.fixes.count))
    // The same sentences again are no new position.
    modem.run(for: 20)
    #expect(modem.fixes.count <= 5)
  }

  @Test("RADIO-22: a receiver whose port another program reads is left alone")
  func unmanaged() {
    var modem = ScriptedModem(["/m/0": .init(capabilities: 21, enabled: 17)])
    modem.need(.satellite)
    modem.run(for: 5)
    #expect(!modem.members.contains("Setup"))
    modem.need(nil)
    #expect(modem.modems["/m/0"]?.enabled == 17)
  }

  @Test("RADIO-22: needs no SIM for satellites, and no server: assistance is never set up")
  func withoutSIM() {
    var modem = ScriptedModem([
      "/m/0": .init(state: -1, failure: 2, capabilities: 0x65, enabled: 0)
    ])
    modem.need(.satellite)
    modem.modems["/m/0"]?.sentences = ScriptedModem.sentences(second: 1)
    modem.run(for: 3)
    #expect(modem.fixes.count == 1)
    #expect(modem.modems["/m/0"]?.enabled == 4)
    #expect(modem.scans.isEmpty)
  }

  @Test(
    "RADIO-23: says what is missing",
    arguments: [
      (ModemLack.modem, nil), (.sim, .init(state: -1, failure: 2)), (.failed, .init(state: -1)),
      (.locked, .init(state: 2, lock: 2, capabilities: nil)), (.capability, .init(capabilities: 4)),
      (.disabled, .init(state: 3)),
    ] as [(ModemLack, ScriptedModem.Modem?)])
  func lacks(lack: ModemLack, modem: ScriptedModem.Modem?) {
    var manager = ScriptedModem(modem.map { ["/m/0": $0] } ?? [:])
    manager.need(.cell)
    manager.run(for: 30)
    #expect(manager.status == .unavailable(lack.reason))
    #expect(manager.scans.isEmpty && !manager.members.contains("GetLocation"))
  }

  @Test("RADIO-23: says that ModemManager is missing, and uses it when it comes")
  func service() {
    var modem = ScriptedModem()
    modem.errors["GetManagedObjects"] = "org.freedesktop.DBus.Error.ServiceUnknown"
    modem.need(.cell)
    #expect(modem.status == .unavailable(ModemLack.service.reason))
    modem.errors = [:]
    modem.presence(true)
    #expect(modem.status == .working)
    modem.presence(false)
    #expect(modem.status == .unavailable(ModemLack.service.reason))
  }

  @Test("RADIO-23: says that it may not ask, counts it, and asks again half a minute later")
  func permission() {
    var modem = ScriptedModem()
    modem.errors["GetLocation"] = "org.freedesktop.ModemManager1.Error.Core.Unauthorized"
    modem.need(.cell)
    #expect(modem.status == .unavailable(ModemLack.permission.reason))
    modem.run(for: 29)
    #expect(modem.rejections(.refused) == 1)
    modem.errors = [:]
    modem.run(for: 2)
    #expect(modem.status == .working)
  }

  @Test("RADIO-24: a modem that is pulled out, in a call too, and one that is plugged in")
  func hotPlug() {
    var modem = ScriptedModem()
    modem.need(.cell)
    modem.silent = ["GetLocation"]
    modem.run(for: 10)
    modem.unplug("/m/0")
    #expect(modem.status == .unavailable(ModemLack.modem.reason))
    modem.silent = []
    modem.plug("/m/1", .init(serving: "262,02,0,1A2B302,C1D"))
    #expect(modem.status == .working && modem.scans.count == 2)
    modem.unplug("/m/1")
    modem.need(nil)
    #expect(modem.isClosed)
  }

  @Test("RADIO-24: an answer that never comes is counted, and the modem is asked again later")
  func noAnswer() {
    var modem = ScriptedModem()
    modem.errors["GetLocation"] = "org.freedesktop.DBus.Error.NoReply"
    modem.need(.cell)
    modem.run(for: 61)
    #expect(modem.rejections(.noAnswer) == 3)
    #expect(modem.status == .searching)
  }

  @Test("RADIO-24: several modems are asked, and at most eight")
  func several() {
    let modems = (0..<12).map { ("/m/\($0)", ScriptedModem.Modem()) }
    var modem = ScriptedModem(Dictionary(uniqueKeysWithValues: modems))
    modem.need(.cell)
    #expect(modem.scans.count == 8)
    #expect(modem.rejections(.modems) == 4)
  }

  @Test("RADIO-85: names the modem of each scan, and says which one receives nothing, or is gone")
  func quiet() {
    var modem = ScriptedModem(["/m/0": .init(), "/m/1": .init(serving: "228,01,0,1A2B302,C1D")])
    modem.need(.cell)
    #expect(modem.scans.map(\.radio) == ["/m/0", "/m/1"])
    #expect(modem.quiet.isEmpty)
    modem.modems["/m/1"]?.serving = ",,0,0,0"
    modem.run(for: 30)
    #expect(modem.quiet == [.quiet(radio: "/m/1", isGone: false)])
    modem.unplug("/m/1")
    modem.unplug("/m/0")
    #expect(
      modem.quiet.dropFirst() == [
        .quiet(radio: "/m/1", isGone: true), .quiet(radio: "/m/0", isGone: true),
      ])
  }

  @Test("RADIO-85: says of a modem that is switched off that it receives nothing")
  func switchedOff() {
    var modem = ScriptedModem(["/m/0": .init(), "/m/1": .init(serving: "228,01,0,1A2B302,C1D")])
    modem.need(.cell)
    modem.change("/m/0") { $0.state = 3 }
    #expect(modem.quiet == [.quiet(radio: "/m/0", isGone: false)])
    modem.run(for: 30)
    #expect(modem.quiet.count == 1)
    modem.change("/m/0") { $0.state = 8 }
    #expect(modem.scans.last?.radio == "/m/0")
  }

  @Test(
    "RADIO-24: counts cells that cannot be, and invents none",
    arguments: [
      ("262,02,0,1A2B3XY,C1D", ModemRejection.unreadable), ("262,02,0,1A2B301", .unreadable),
      ("262,02,0,FFFFFFFFFFFFFFFFF,C1D", .unreadable), ("-2,02,0,1A2B301,C1D", .unreadable),
      (String(repeating: "2", count: 100), .unreadable), ("0,02,0,1A2B301,C1D", .impossible),
      ("1262,02,0,1A2B301,C1D", .impossible), ("262,02,0,FFFFFFFFF,C1D", .impossible),
    ])
  func damage(text: String, reason: ModemRejection) {
    var modem = ScriptedModem()
    modem.modems["/m/0"]?.serving = text
    modem.need(.cell)
    #expect(modem.scans.isEmpty && modem.rejections(reason) == 1)
  }

  @Test("RADIO-24: a modem without a network has no cell, and that is no fault")
  func noNetwork() {
    var modem = ScriptedModem()
    modem.modems["/m/0"]?.serving = ",,0,0,0"
    modem.need(.cell)
    modem.run(for: 20)
    #expect(modem.scans.isEmpty && modem.status == .searching)
    #expect(modem.bench.machine.driver.rejections.isEmpty)
  }

  @Test("RADIO-24: reads at most 64 cells of an answer, and 16 KiB of sentences")
  func bounds() throws {
    var modem = ScriptedModem(["/m/0": .init(capabilities: 5, enabled: 5)])
    modem.modems["/m/0"]?.cells = (0..<400).map {
      ScriptedModem.lte(physical: String($0, radix: 16), channel: UInt32($0))
    }
    modem.modems["/m/0"]?.sentences = String(repeating: "x", count: 1_000_000)
    modem.need(.satellite)
    #expect(try #require(modem.scans.first).readings.count == 65)
    #expect(modem.rejections(.tooMany) == 1 && modem.rejections(.tooLong) == 1)
  }

  @Test(
    "RADIO-20: knows the radio by what the modem uses, else by the form of the identity",
    arguments: [
      (1 << 14, "262,02,0,1A2B301,C1D", CellIdentity.Radio.lte),
      (1 << 15, "262,02,0,123456789,ABCDE", .nr), (1 << 5, "262,02,1F,1A2B301,0", .umts),
      (1 << 1, "262,02,1F,1A2B,0", .gsm), (0, "262,02,1F,1A2B,0", .gsm),
      (0, "262,02,1F,1A2B30,0", .umts), (0, "262,02,FFFE,1A2B,C1D", .lte),
    ] as [(UInt32, String, CellIdentity.Radio)])
  func radios(technologies: UInt32, text: String, radio: CellIdentity.Radio) throws {
    var modem = ScriptedModem(["/m/0": .init(technologies: technologies, serving: text)])
    modem.need(.cell)
    guard case .cell(let cell) = try #require(modem.scans.first?.readings.first).transmitter else {
      Issue.record("no cell")
      return
    }
    #expect(cell.radio == radio && cell.area != nil)
  }
}
