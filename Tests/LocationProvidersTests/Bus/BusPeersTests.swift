import LocationModel
import LocationProviders
import Testing

@Suite("Who is believed on the bus")
struct BusPeersTests {
  private var peers = BusPeers()
  private let match = BusMatch.propertiesChanged(of: "org.example")
  private let start = Instant.start

  /// Subscribes, and learns the owner of the name; `nil` when there is none.
  private mutating func begin(owner: String? = ":1.5") {
    for (index, question) in peers.prepare(.subscribe(match)).enumerated() {
      peers.sent(question, as: UInt64(index + 1), at: start)
    }
    var head = BusHead(.reply(to: 2), from: "org.freedesktop.DBus")
    head.signature = "s"
    if owner == nil { head.kind = .error(to: 2, name: "org.freedesktop.DBus.Error.NameHasNoOwner") }
    _ = peers.receive(head) { [.string(owner ?? "")] }
  }

  private mutating func ask(_ serial: UInt64, reply: String? = "s") {
    let call = BusCall(
      "org.example", path: "/", interface: "org.example", member: "M", reply: reply)
    for question in peers.prepare(.call(7, call)) { peers.sent(question, as: serial, at: start) }
  }

  private mutating func signal(
    from sender: String, signature: String = "sa{sv}as"
  ) -> [BusEvent] {
    var head = BusHead(.signal, from: sender)
    (head.interface, head.member) = (match.interface, match.member)
    head.signature = signature
    return peers.receive(head) { [.string("org.example")] }
  }

  private mutating func own(
    _ new: String, from sender: String = "org.freedesktop.DBus", of service: String = "org.example"
  ) -> [BusEvent] {
    var head = BusHead(.signal, from: sender)
    (head.interface, head.member) = ("org.freedesktop.DBus", "NameOwnerChanged")
    head.signature = "sss"
    return peers.receive(head) { [.string(service), .string(""), .string(new)] }
  }

  private mutating func reply(
    _ serial: UInt64, from sender: String, signature: String = "s"
  ) -> [BusEvent] {
    var head = BusHead(.reply(to: serial), from: sender)
    head.signature = signature
    return peers.receive(head) { [.string("true")] }
  }

  @Test("border 7: changes of the owner are subscribed to before it is asked for, and once")
  mutating func order() {
    let calls = peers.prepare(.subscribe(match)).map(\.call)
    #expect(calls.map(\.member) == ["AddMatch", "GetNameOwner", "AddMatch"])
    #expect(calls[0].arguments.first?.text?.contains("NameOwnerChanged") == true)
    #expect(peers.prepare(.subscribe(match)).isEmpty)
    #expect(peers.prepare(.subscribe(.owner(of: "org.example"))).count == 1)
  }

  @Test("border 7: a signal is believed of the owner, and of nobody before one is known")
  mutating func signals() {
    #expect(peers.prepare(.subscribe(match)).count == 3)
    #expect(signal(from: ":1.5").isEmpty)
    peers = BusPeers()
    begin()
    #expect(signal(from: ":1.5").count == 1)
    #expect(signal(from: ":1.6").isEmpty)
    #expect(signal(from: "").isEmpty)
    #expect(signal(from: "org.freedesktop.DBus").isEmpty)
    #expect(peers.takeRefusals() == [.refused(.signal(of: "org.example"), count: 3)])
    #expect(peers.takeRefusals().isEmpty)
  }

  @Test("border 7: signals and answers of one connection are that connection's, whose it stays")
  mutating func connection() {
    let changes = BusMatch.propertiesChanged(of: ":1.9")
    // A unique name has no other owner, so nobody is asked for it.
    #expect(peers.prepare(.subscribe(changes)).map(\.call.member) == ["AddMatch"])
    #expect(signal(from: ":1.6").isEmpty)
    guard case .signal(let heard) = signal(from: ":1.9").first else {
      Issue.record("nothing was heard")
      return
    }
    #expect(heard.sender == ":1.9")
    let call = BusCall(":1.9", path: "/", interface: "org.example", member: "M", reply: "s")
    for question in peers.prepare(.call(7, call)) { peers.sent(question, as: 9, at: start) }
    #expect(reply(9, from: ":1.6").isEmpty)
    #expect(reply(9, from: ":1.9") == [.reply(7, .values([.string("true")]))])
    #expect(peers.prepare(.unsubscribe(changes)).map(\.call.member) == ["RemoveMatch"])
    // The signals of a name's owner do not say which connection that is.
    peers = BusPeers()
    begin()
    guard case .signal(let owned) = signal(from: ":1.5").first else { return }
    #expect(owned.sender == nil)
  }

  @Test("border 7: who takes the name is believed from then on, and the former owner no more")
  mutating func successor() {
    begin()
    #expect(own(":1.6").isEmpty)
    #expect(signal(from: ":1.5").isEmpty)
    #expect(signal(from: ":1.6").count == 1)
    #expect(own("").isEmpty)
    #expect(signal(from: ":1.6").isEmpty)
  }

  @Test("border 7: only the bus itself tells who owns a name")
  mutating func owners() {
    begin()
    #expect(own(":1.6", from: ":1.6").isEmpty)
    #expect(signal(from: ":1.6").isEmpty)
    #expect(signal(from: ":1.5").count == 1)
    #expect(
      peers.takeRefusals() == [
        .refused(.signal(of: "org.example"), count: 1), .refused(.ownerChange, count: 1),
      ])
  }

  @Test("border 7: a forged reply is refused, and the true one is received afterwards")
  mutating func replies() {
    begin()
    ask(9)
    #expect(reply(9, from: ":1.6").isEmpty)
    #expect(reply(10, from: ":1.6").isEmpty)
    #expect(reply(9, from: "org.freedesktop.DBus").isEmpty)
    #expect(reply(9, from: ":1.5") == [.reply(7, .values([.string("true")]))])
    #expect(reply(9, from: ":1.5").isEmpty)
    #expect(
      peers.takeRefusals() == [
        .refused(.reply(of: "org.example"), count: 2), .refused(.unaskedReply, count: 2),
      ])
  }

  @Test("border 7: an error counts of the owner, and of the bus")
  mutating func errors() {
    begin(owner: nil)
    for (serial, sender) in [(9, ":1.6"), (9, "org.freedesktop.DBus")] as [(UInt64, String)] {
      ask(serial)
      let received = peers.receive(BusHead(.error(to: serial, name: "E"), from: sender)) { [] }
      #expect(received == (sender.hasPrefix(":") ? [] : [.reply(7, .error("E"))]))
    }
  }

  @Test("border 7: calls to an owner that is gone are over; those that start one wait for it")
  mutating func loss() {
    begin(owner: nil)
    ask(9)
    #expect(own(":1.6").isEmpty)
    #expect(reply(9, from: ":1.6").count == 1)
    ask(10)
    #expect(own("") == [.reply(7, .error("org.freedesktop.DBus.Error.NoReply"))])
    ask(11)
    #expect(peers.nextDeadline == start + .seconds(25))
    #expect(peers.expire(at: start + .seconds(25)).count == 1)
    #expect(peers.nextDeadline == nil)
  }

  @Test("border 7: what has other types than the interface says is ignored, and counted")
  mutating func types() {
    begin()
    #expect(signal(from: ":1.5", signature: "sa{sv}").isEmpty)
    ask(9)
    let failed = BusReply.error("org.freedesktop.DBus.Error.InconsistentMessage")
    #expect(reply(9, from: ":1.5", signature: "u") == [.reply(7, failed)])
    #expect(
      peers.takeRefusals() == [
        .refused(.types(of: "M"), count: 1), .refused(.types(of: "PropertiesChanged"), count: 1),
      ])
  }

  @Test("border 7: only the service that an object is for may call it")
  mutating func calls() {
    let object = BusObject(
      path: "/o", interface: "i", caller: "org.example", properties: .properties([:]), methods: [])
    begin()
    let allowed = [":1.5", ":1.6"].filter { peers.mayCall(object, BusHead(.call, from: $0)) }
    #expect(allowed == [":1.5"])
    #expect(peers.takeRefusals() == [.refused(.call(of: "org.example"), count: 1)])
  }

  @Test("border 12: no more than 256 calls wait at a time")
  mutating func bound() {
    begin()
    for serial in 10..<(10 + 2 * UInt64(BusPeers.mostPending)) where peers.hasRoom { ask(serial) }
    #expect(!peers.hasRoom)
    #expect(peers.expire(at: start + .seconds(30)).count == BusPeers.mostPending - 2)
    #expect(peers.hasRoom)
  }
}
