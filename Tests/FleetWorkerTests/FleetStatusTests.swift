import TestSupport
import Testing

@Suite(
  "What locationctl fleet status shows of an ingress", .serialized,
  .enabled(
    if: NATSServer.isInstalled && isInstalled("curl"), "nats-server or curl is not installed"))
struct FleetStatusTests {
  @Test("FLEET-35: locationctl fleet status shows what an ingress has taken, and names no device")
  func ingress() async throws {
    let site = try await IngressSite(devices: 1)
    let address = "http://127.0.0.1:\(site.web)/?id=truck-0&lat=46.5&lon=6.6&timestamp=1780000000"
    let sent = try RunningProgram(
      "curl",
      [
        "-s", "-w", "status %{http_code}\\n", "-u", "dev-0:\(IngressSite.password("dev-0"))",
        address,
      ])
    _ = try await sent.lines.next { $0.contains("status 200") }
    let words = ["fleet", "status", "--port", "\(site.figures)"]
    let text = try FinishedProgram("locationctl", words).output
    #expect(
      text.hasPrefix("ingress: 0 connections of MQTT, 1 messages kept, 0 not, 0 wait\n"), "\(text)")
    #expect(text.contains("acme") && text.contains("fixes ") && !text.contains("truck"))
    let lines = try FinishedProgram("locationctl", words + ["--json"]).output
    #expect(lines.contains(#"{"type":"ingress","connections":0,"#), "\(lines)")
    #expect(lines.contains(#"{"type":"fixes","#), "\(lines)")
  }
}
