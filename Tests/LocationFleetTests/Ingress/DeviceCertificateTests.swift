import LocationFleet
import LocationModel
import Testing

@Suite("A device by its certificate, and what it may send")
struct DeviceCertificateTests {
  @Test("FLEET-70: the subject is the device, its tenant, and its group; what is no name is none")
  func subjects() throws {
    let own = try #require(
      DeviceCertificate(organization: "acme", unit: "trucks", name: "truck 9").account)
    #expect(own.tenant == "acme" && own.device == "truck 9" && own.group == "trucks")
    let truck = FleetDeviceName(tenant: "acme", device: "truck 9")
    #expect(own.topic("in/acme/truck_209") == .reports(truck))
    #expect(own.topic("owntracks/truck 9/truck 9") == .reports(truck))
    #expect(own.topic("in/acme/truck_208") == .foreign)
    // `*` is a name here, and not every device.
    #expect(DeviceCertificate(name: "*").account?.device == "*")
    #expect(DeviceCertificate(name: "a").account?.tenant == "")
    let long = String(repeating: "a", count: 65)
    for certificate in [
      DeviceCertificate(organization: "acme", name: ""), DeviceCertificate(name: long),
      DeviceCertificate(organization: long, name: "a"), DeviceCertificate(unit: "\n", name: "a"),
      DeviceCertificate(name: "a\u{7f}"),
    ] { #expect(certificate.account == nil, "\(certificate)") }
  }

  private static func at(_ seconds: Double) -> Moment {
    Moment(uptime: .start + .seconds(seconds), unixTime: UnixTime(seconds: 1.78e9 + seconds))
  }

  private static func text(_ text: String) -> [UInt8] { [0, UInt8(text.utf8.count)] + text.utf8 }

  /// Without a user, with a keep-alive of ten seconds.
  private static let connect: [UInt8] =
    [0x10, 12] + text("MQTT") + [4, 2, 0, 10] + text("")

  private static func publish(_ number: UInt8) -> [UInt8] {
    [0x32, 13] + text("in/a/b") + [0, number] + Array("{ }".utf8)
  }

  @Test(
    "FLEET-70: with a certificate neither a user nor a password is needed, without one they are"
  )
  func certified() {
    var connection = MQTTConnection(at: .start)
    #expect(connection.handle(.certified, at: Self.at(0)).isEmpty && !connection.hasAsked)
    #expect(connection.handle(.bytes(Self.connect), at: Self.at(0)) == [.greet])
    #expect(connection.hasAsked && !connection.wantsBytes)
    #expect(connection.handle(.authenticated(true), at: Self.at(0)) == [.send([0x20, 2, 0, 0])])
    var other = MQTTConnection(at: .start)
    #expect(
      other.handle(.bytes(Self.connect), at: Self.at(0))
        == [.send([0x20, 2, 0, 5]), .close(.password)])
  }

  @Test("FLEET-74: a tenant that has as many connections as it may is refused with code 3")
  func surplus() {
    var connection = MQTTConnection(at: .start)
    _ = connection.handle(.certified, at: Self.at(0))
    _ = connection.handle(.bytes(Self.connect), at: Self.at(0))
    #expect(
      connection.handle(.surplus, at: Self.at(0)) == [.send([0x20, 2, 0, 3]), .close(.surplus)])
  }

  @Test("FLEET-75: while a message waits nothing more is read, and that is no silence")
  func slowed() {
    var connection = MQTTConnection(at: .start)
    _ = connection.handle(.certified, at: Self.at(0))
    _ = connection.handle(.bytes(Self.connect), at: Self.at(0))
    _ = connection.handle(.authenticated(true), at: Self.at(0))
    #expect(connection.handle(.bytes(Self.publish(1)), at: Self.at(0)).count == 1)
    _ = connection.handle(.slowed(true), at: Self.at(0))
    #expect(!connection.wantsBytes && connection.nextDeadline == nil)
    // Of what had come already nothing goes on, either.
    #expect(connection.handle(.bytes(Self.publish(2)), at: Self.at(1)).isEmpty)
    #expect(connection.handle(.kept(1), at: Self.at(1)) == [.send([0x40, 2, 0, 1])])
    #expect(connection.handle(.wake, at: Self.at(29)).isEmpty)
    #expect(
      connection.handle(.slowed(false), at: Self.at(30))
        == [.publish(2, topic: "in/a/b", payload: Array("{ }".utf8))])
    #expect(connection.nextDeadline == Self.at(45).uptime)
    #expect(connection.handle(.failed(2, .rate), at: Self.at(31)) == [.close(.rate)])
  }

  @Test("FLEET-75: what came before a refused message is acknowledged before the connection ends")
  func refused() {
    var connection = MQTTConnection(at: .start)
    _ = connection.handle(.certified, at: Self.at(0))
    _ = connection.handle(.bytes(Self.connect), at: Self.at(0))
    _ = connection.handle(.authenticated(true), at: Self.at(0))
    let all = (1...4 as ClosedRange<UInt8>).flatMap { Self.publish($0) }
    #expect(connection.handle(.bytes(all), at: Self.at(0)).count == 4)
    #expect(connection.handle(.failed(3, .rate), at: Self.at(0)).isEmpty)
    #expect(!connection.wantsBytes)
    #expect(connection.handle(.kept(4), at: Self.at(0)).isEmpty)
    #expect(connection.handle(.kept(2), at: Self.at(0)).isEmpty)
    #expect(
      connection.handle(.kept(1), at: Self.at(0))
        == [.send([0x40, 2, 0, 1, 0x40, 2, 0, 2]), .close(.rate)])
  }
}
