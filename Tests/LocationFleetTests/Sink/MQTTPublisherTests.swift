import LocationModel
import TestSupport
import Testing

@testable import LocationFleet

@Suite("A client that publishes by MQTT")
struct MQTTPublisherTests {
  private let greeting: [UInt8] = [0x20, 2, 0, 0]

  private func open(_ machine: inout MQTTPublisher) {
    _ = machine.handle(.open, at: .start)
    _ = machine.handle(.bytes(greeting), at: .start)
  }

  @Test(
    "FLEET-47: it connects, publishes with QoS 1 what it was given before, and says what is confirmed"
  )
  func publishes() {
    var machine = MQTTPublisher(
      MQTTPublisher.Login(client: "c", user: "u", password: Array("p".utf8)))
    let connect: [UInt8] =
      [0x10, 19] + [0, 4] + Array("MQTT".utf8) + [4, 0xc2, 0, 60, 0, 1] + Array("c".utf8) + [0, 1]
      + Array("u".utf8) + [0, 1] + Array("p".utf8)
    #expect(machine.handle(.open, at: .start) == [.send(connect)])
    #expect(machine.handle(.publish(9, topic: "t", payload: [1]), at: .start).isEmpty)
    #expect(machine.handle(.bytes([0x20, 2]), at: .start).isEmpty)
    #expect(
      machine.handle(.bytes([0, 0]), at: .start)
        == [.send([0x32, 6, 0, 1, UInt8(ascii: "t"), 0, 1, 1])])
    #expect(machine.handle(.bytes([0x40, 2, 0, 1]), at: .start) == [.confirmed(9)])
    #expect(machine.handle(.close, at: .start) == [.send([0xe0, 0])])
  }

  @Test(
    "FLEET-47: what breaks the protocol ends the connection with a reason",
    arguments: [
      [0x20, 2, 0, 5], [0x20, 2, 0, 4], [0x40, 2, 0, 1], [0x30, 100], [0xd0, 0], [0, 0],
    ] as [[UInt8]])
  func breaks(bytes: [UInt8]) {
    var machine = MQTTPublisher(MQTTPublisher.Login(client: "c"))
    _ = machine.handle(.open, at: .start)
    let outputs = machine.handle(.bytes(bytes), at: .start)
    guard case .over? = outputs.first else {
      Issue.record("it goes on")
      return
    }
    #expect(machine.handle(.bytes(greeting), at: .start).isEmpty)
  }

  @Test(
    "FLEET-47: whatever bytes a broker sends in whatever pieces, nothing is confirmed twice, and the pieces change nothing",
    arguments: 1...200 as ClosedRange<UInt64>)
  func anyBytes(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let good: [[UInt8]] = [
      greeting, [0x40, 2, 0, 1], [0x40, 2, 0, 2], [0x40, 2, 0, 3], [0xd0, 0], [0x20, 2, 0, 5],
    ]
    for _ in 0..<50 {
      var bytes = greeting + (0..<6).flatMap { _ in good.randomElement(using: &random) ?? [] }
      if Bool.random(using: &random), let place = bytes.indices.randomElement(using: &random) {
        bytes[place] = .random(in: .min ... .max, using: &random)
      }
      func outputs(_ size: Int) -> [MQTTPublisher.Output] {
        var machine = MQTTPublisher(MQTTPublisher.Login(client: "c"))
        var found = machine.handle(.open, at: .start)
        for number in 1...3 as ClosedRange<UInt64> {
          found += machine.handle(.publish(number, topic: "t", payload: [1]), at: .start)
        }
        var rest = bytes[...]
        while !rest.isEmpty {
          found += machine.handle(.bytes(Array(rest.prefix(size))), at: .start)
          rest = rest.dropFirst(size)
        }
        return found
      }
      let whole = outputs(bytes.count)
      #expect(outputs(.random(in: 1...5, using: &random)) == whole)
      let confirmed = whole.compactMap {
        if case .confirmed(let number) = $0 { number } else { nil }
      }
      #expect(Set(confirmed).count == confirmed.count)
      #expect(whole.count { if case .over = $0 { true } else { false } } <= 1)
    }
  }

  @Test("FLEET-47: it pings after 30 s, and a broker that is silent for 10 s has gone")
  func silence() {
    var machine = MQTTPublisher(MQTTPublisher.Login(client: "c"))
    open(&machine)
    #expect(machine.nextDeadline == .start + .seconds(30))
    #expect(machine.handle(.wake, at: .start + .seconds(30)) == [.send([0xc0, 0])])
    #expect(machine.handle(.bytes([0xd0, 0]), at: .start + .seconds(31)).isEmpty)
    #expect(machine.handle(.wake, at: .start + .seconds(60)) == [.send([0xc0, 0])])
    #expect(
      machine.handle(.wake, at: .start + .seconds(70)) == [.over("the broker is silent")])
  }
}
