import TestSupport
import Testing

@Suite("The adapters of a daemon", .serialized)
struct AdapterCalibrationTests {
  private static let method = "org.meridian.administration.CalibrateAdapter"

  private func said(_ daemon: DaemonRun, _ parameters: String) async throws -> String {
    let program = try BorderScript.run(
      daemon, "say('said', ask(connect(), '\(Self.method)', \(parameters)))", BorderScript.tool)
    defer { program.end() }
    return try await program.lines.next { $0.hasPrefix("said ") }
  }

  @Test("BEACON-29: the owner calibrates an adapter, which outlasts the daemon, and clears it")
  func owner() async throws {
    let folder = try TemporaryFolder()
    let lines = ["owner-program = \(BorderScript.python)"]
    var daemon = try await DaemonRun(in: folder, configuration: lines)
    let adapter = "adapter='00:1A:7D:DA:71:13'"
    #expect(try await !said(daemon, "\(adapter), offset=-17").contains("error"))
    let absurd = try await said(daemon, "\(adapter), offset=99")
    #expect(absurd.contains("Refused") && absurd.contains("99 dB is not between"), "\(absurd)")
    #expect(try await said(daemon, "adapter='hci0', offset=1").contains("InvalidParameter"))
    daemon.kill()
    daemon = try await DaemonRun(in: folder, configuration: lines)
    let list = try locationctl(daemon, "--list")
    #expect(list.contains("00:1A:7D:DA:71:13  -17 dB"), "\(list)")
    #expect(try locationctl(daemon, "--clear") == "forgot 1 adapter\n")
    #expect(try locationctl(daemon, "--list") == "Nothing is known of any adapter.\n")
    let unknown = try await said(daemon, adapter)
    #expect(unknown.contains("nothing is known of an adapter"), "\(unknown)")
  }

  @Test("BEACON-29: sixteen adapters are calibrated at most; another one is refused")
  func seventeen() async throws {
    let daemon = try await DaemonRun(configuration: ["owner-program = \(BorderScript.python)"])
    for number in 10..<26 {
      let words = "adapter='00:00:00:00:00:\(number)', offset=-5"
      #expect(try await !said(daemon, words).contains("error"))
    }
    let refused = try await said(daemon, "adapter='00:00:00:00:00:99', offset=-5")
    #expect(refused.contains("16 adapters are calibrated already"), "\(refused)")
  }

  @Test("BEACON-29: a program that is not the owner's calibrates nothing")
  func stranger() async throws {
    let daemon = try await DaemonRun(configuration: [])
    let refused = try await said(daemon, "adapter='00:1A:7D:DA:71:13', offset=-17")
    #expect(refused.contains("NotOwner"), "\(refused)")
  }

  private func locationctl(_ daemon: DaemonRun, _ word: String) throws -> String {
    try daemon.control("beacons", "calibrate", word).text
  }
}
