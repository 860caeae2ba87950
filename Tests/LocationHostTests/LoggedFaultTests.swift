import Testing

@testable import LocationDaemon

@Suite("A fault of the configuration in the log")
struct LoggedFaultTests {
  @Test(
    "has no key, no password, and no place, which standard error has",
    arguments: [
      (
        #"a.conf:2: source "ichnaea:http://h/?key=SECRET": no such option; expected key"#, "ichnaea"
      ),
      (#"a.conf:3: source "fixed:48.123,11.6x": "11.6x" is not a number; expected one"#, "fixed"),
      (#"a.conf:4: uplink "mqtts://me:SECRET@h/t": no port"#, "mqtts"),
    ])
  func masked(_ line: String, _ scheme: String) {
    let logged = DaemonFault(reason: "first\n" + line).loggedReason
    #expect(logged.hasPrefix("first\na.conf:"))
    #expect(logged.contains(#""\#(scheme):‹private›""#), "\(logged)")
    for secret in ["SECRET", "48.123", "11.6x"] { #expect(!logged.contains(secret), "\(logged)") }
    #expect(logged.hasSuffix("(locationd --check shows it)"))
  }

  @Test("has everything else")
  func whole() {
    let reason = #"a.conf:1: "sorce" is no setting"#
    #expect(DaemonFault(reason: reason).loggedReason == reason)
  }
}
