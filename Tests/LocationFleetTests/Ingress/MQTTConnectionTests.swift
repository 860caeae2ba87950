import LocationModel
import TestSupport
import Testing

@testable import LocationFleet

@Suite("A connection of MQTT")
struct MQTTConnectionTests {
  private var connection = MQTTConnection(at: .start)

  private static func at(_ seconds: Double) -> Moment {
    Moment(uptime: .start + .seconds(seconds), unixTime: UnixTime(seconds: 1.78e9 + seconds))
  }

  /// As a device connects, with a keep-alive of a minute.
  private static let connect = MQTTBytes.packet(
    0x10,
    MQTTBytes.text("MQTT") + [4, 0xc2, 0, 60] + MQTTBytes.text("c") + MQTTBytes.text("user")
      + MQTTBytes.text("secret"))

  private static func publish(
    _ topic: String = "in/acme/d", number: UInt8 = 7, quality: UInt8 = 1, payload: String = "{}"
  ) -> [UInt8] {
    MQTTBytes.packet(
      0x30 | quality << 1,
      MQTTBytes.text(topic) + (quality > 0 ? [0, number] : []) + Array(payload.utf8))
  }

  private mutating func send(_ bytes: [UInt8], at seconds: Double = 0) -> [MQTTConnection.Output] {
    connection.handle(.bytes(bytes), at: Self.at(seconds))
  }

  private mutating func open() {
    _ = send(Self.connect)
    _ = connection.handle(.authenticated(true), at: Self.at(0))
  }

  @Test("FLEET-32: a device connects by its password, publishes, is acknowledged when that is kept")
  mutating func publishes() {
    #expect(send(Self.connect) == [.authenticate(user: "user", password: Array("secret".utf8))])
    #expect(!connection.wantsBytes)
    #expect(connection.handle(.authenticated(true), at: Self.at(0)) == [.send([0x20, 2, 0, 0])])
    #expect(
      send(Self.publish()) == [.publish(1, topic: "in/acme/d", payload: Array("{}".utf8))])
    #expect(send([0xc0, 0]) == [.send([0xd0, 0])])
    #expect(connection.handle(.kept(1), at: Self.at(0)) == [.send([0x40, 2, 0, 7])])
    #expect(connection.handle(.kept(1), at: Self.at(0)).isEmpty)
    #expect(send([0xe0, 0]) == [.close(.disconnected)])
    #expect(send(Self.publish()).isEmpty && connection.nextDeadline == nil)
  }

  @Test("FLEET-32: acknowledgements go in the order of what was published; QoS 0 has none")
  mutating func order() {
    open()
    let all =
      Self.publish(number: 1) + Self.publish(quality: 0) + Self.publish(number: 2)
      + Self.publish(number: 3)
    #expect(send(all).count == 4)
    #expect(connection.handle(.kept(3), at: Self.at(0)).isEmpty)
    #expect(connection.handle(.kept(2), at: Self.at(0)).isEmpty)
    #expect(
      connection.handle(.kept(1), at: Self.at(0)) == [.send([0x40, 2, 0, 1, 0x40, 2, 0, 2])])
    #expect(connection.handle(.failed(4, .unavailable), at: Self.at(0)) == [.close(.unavailable)])
    #expect(connection.handle(.kept(4), at: Self.at(0)).isEmpty)
  }

  @Test("FLEET-32: what comes in any pieces is the same")
  mutating func pieces() {
    let all = Self.connect + Self.publish() + [0xc0, 0] + Self.publish(payload: "x")
    var outputs: [MQTTConnection.Output] = []
    for byte in all {
      let new = send([byte])
      outputs += new
      guard case .authenticate = new.first else { continue }
      outputs += connection.handle(.authenticated(true), at: Self.at(0))
    }
    var whole = Self()
    var expected = whole.send(all)
    expected += whole.connection.handle(.authenticated(true), at: Self.at(0))
    #expect(outputs == expected && outputs.count == 5)
  }

  @Test("FLEET-32: no more is read while 64 messages wait, and a device is not silent meanwhile")
  mutating func backpressure() {
    open()
    let many = Array((1...70 as ClosedRange<UInt8>).map { Self.publish(number: $0) }.joined())
    #expect(send(many).count == 64)
    #expect(!connection.wantsBytes && connection.nextDeadline == nil)
    let outputs = connection.handle(.kept(1), at: Self.at(500))
    #expect(outputs.count == 2)
    #expect(connection.handle(.kept(2), at: Self.at(501)).count == 2)
    for message in 3...64 { _ = connection.handle(.kept(message), at: Self.at(502)) }
    #expect(connection.wantsBytes && connection.nextDeadline == .start + .seconds(592))
  }

  @Test("FLEET-32: a subscription is refused with 0x80 for each filter")
  mutating func subscription() {
    open()
    let filters = MQTTBytes.text("#") + [0] + MQTTBytes.text("owntracks/+/+") + [1]
    #expect(
      send(MQTTBytes.packet(0x82, [0, 9] + filters)) == [.send([0x90, 4, 0, 9, 0x80, 0x80])])
    #expect(
      send(MQTTBytes.packet(0xa2, [0, 9] + MQTTBytes.text("#"))) == [.send([0xb0, 2, 0, 9])])
  }

  @Test("FLEET-32: a wrong password, or none, is refused with 5; another version with 1")
  mutating func refused() {
    _ = send(Self.connect)
    #expect(
      connection.handle(.authenticated(false), at: Self.at(0))
        == [.send([0x20, 2, 0, 5]), .close(.password)])
    for (body, code, end) in [
      (MQTTBytes.text("MQTT") + [4, 2, 0, 60] + MQTTBytes.text("c"), 5, MQTTEnd.password),
      (MQTTBytes.text("MQTT") + [5, 2, 0, 60] + MQTTBytes.text("c"), 1, .version),
      (MQTTBytes.text("MQIsdp") + [3, 2, 0, 60] + MQTTBytes.text("c"), 1, .version),
      (MQTTBytes.text("MQTT") + [4, 0, 0, 60] + MQTTBytes.text(""), 2, .malformed),
    ] as [([UInt8], UInt8, MQTTEnd)] {
      var other = Self()
      #expect(
        other.send(MQTTBytes.packet(0x10, body)) == [.send([0x20, 2, 0, code]), .close(end)])
    }
  }

  @Test(
    "FLEET-32: what breaks the rules ends the connection with its reason",
    arguments: [
      ([0x30, 0x80, 0x80, 0x80, 0x80, 0x01], MQTTEnd.malformed),
      ([0x30, 0xff, 0xff, 0x7f], .tooLong),
      (connect, .unexpected), (publish("in/+/d"), .wildcard), (publish("in/#"), .wildcard),
      (publish(quality: 2), .quality), (publish(quality: 3), .malformed),
      (publish(number: 0), .malformed), (publish(""), .malformed), ([0x30, 2, 0, 9], .malformed),
      ([0x30, 3, 0, 1, 0xff], .malformed), ([0x30, 3, 0, 1, 0], .malformed),
      ([0xc1, 0], .malformed),
      ([0xc0, 1, 0], .malformed), ([0x20, 2, 0, 0], .unexpected), ([0x40, 2, 0, 1], .unexpected),
      ([0, 0], .malformed), ([0xf0, 0], .malformed), ([0x82, 2, 0, 1], .malformed),
      ([0x82, 6, 0, 1, 0, 1, 0x61, 3], .malformed), ([0x38, 3, 0, 1, 0x61], .malformed),
    ] as [([UInt8], MQTTEnd)])
  mutating func broken(bytes: [UInt8], end: MQTTEnd) {
    open()
    #expect(send(bytes) == [.close(end)])
  }

  @Test("FLEET-32: before it has connected, a device may send nothing else, and not much")
  mutating func first() {
    #expect(send(Self.publish()) == [.close(.unexpected)])
    var other = Self()
    #expect(other.send([0x10, 0x80, 0x20]) == [.close(.tooLong)])
  }

  @Test("FLEET-32: a device that is silent for one and a half of its time is disconnected")
  mutating func silent() {
    #expect(connection.nextDeadline == .start + .seconds(10))
    open()
    #expect(connection.nextDeadline == .start + .seconds(90))
    _ = send([0xc0, 0], at: 80)
    #expect(connection.handle(.wake, at: Self.at(169)).isEmpty)
    #expect(connection.handle(.wake, at: Self.at(170)) == [.close(.silent)])
    var other = Self()
    #expect(other.connection.handle(.wake, at: Self.at(10)) == [.close(.silent)])
  }
}
