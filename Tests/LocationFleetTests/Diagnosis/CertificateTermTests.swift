import LocationFleet
import LocationModel
import Testing

@Suite("The end of a certificate")
struct CertificateTermTests {
  private let now = UnixTime(seconds: 1_780_000_000)

  private func finding(days: Double) -> FleetFinding? {
    let end = UnixTime(nanoseconds: now.nanoseconds + Int64(days * 86_400e9))
    return CertificateTerm.finding("authorities", "/ca.pem", ends: end, at: now)
  }

  @Test("FLEET-136: an end is named from 14 days before on, and bad once it has passed")
  func notice() {
    #expect(finding(days: 14) == nil)
    let soon = finding(days: 13.9)
    #expect(soon?.code == "certificate_ends" && soon?.verdict == .doubtful)
    #expect(soon?.message.hasSuffix(", in 13 days") == true)
    let over = finding(days: 0)
    #expect(over?.code == "certificate_ended" && over?.verdict == .bad)
    #expect(over?.message.hasPrefix("`authorities` /ca.pem has ended at 20") == true)
    #expect(over?.next != nil)
  }
}
