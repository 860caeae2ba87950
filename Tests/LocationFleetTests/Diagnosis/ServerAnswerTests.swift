import Testing

@testable import LocationFleet

@Suite("What servers answer to the diagnosis of a fleet")
struct ServerAnswerTests {
  @Test("FLEET-86: what a server answers of a stream is read, and other bytes are none")
  func decoding() throws {
    let text = """
      {"type":"io.nats.jetstream.api.v1.stream_info_response","config":{"name":"FIX_0",\
      "num_replicas":3,"max_age":259200000000000},"state":{"messages":5,"bytes":700,"first_seq":5,"last_seq":9},\
      "cluster":{"name":"fleet","leader":"one","replicas":[{"name":"two","current":true,"lag":4},\
      {"name":"three","current":false,"offline":true}]}}
      """
    let status = try #require(StreamStatus(Array(text.utf8)))
    #expect((status.replicas, status.messages, status.last) == (3, 5, 9))
    #expect(status.age == 72 * 3600 * 1_000_000_000 && status.hasLeader)
    #expect(status.copies.map(\.server) == ["two", "three"])
    #expect(status.copies.map(\.isOffline) == [false, true] && status.copies[0].lag == 4)
    #expect((status.bytes, status.first, status.leader) == (700, 5, "one"))
    #expect(
      StreamStatus(Array(text.replacing(#""leader":"one","#, with: "").utf8))?.hasLeader == false)
    for other in ["", "{}", "[]", #"{"config":3}"#, #"{"config":{"#] {
      #expect(StreamStatus(Array(other.utf8)) == nil, "\(other)")
    }
    for line in ["", "INFO", "HTTP/1.1 400", "INFO {", #"INFO {"server_name":"x"}"#] {
      #expect(ServerGreeting(Array(line.utf8)) == nil, "\(line)")
    }
  }

  @Test("FLEET-87: the address of a server is shown without a user")
  func addresses() {
    for (text, host, port, shown) in [
      ("nats://127.0.0.1", "127.0.0.1", 4222, "nats://127.0.0.1"),
      (
        "tls://nats-2.example.org:4333", "nats-2.example.org", 4333, "tls://nats-2.example.org:4333"
      ),
      ("nats://user:secret@[::1]:5", "::1", 5, "nats://[::1]:5"),
    ] {
      let address = ServerAddress(text)
      #expect(address?.host == host && address?.port == port && address?.shown == shown)
    }
    for text in ["nats://", "nats://:4222", "nats://a:0", "nats://a:b"] {
      #expect(ServerAddress(text) == nil, "\(text)")
    }
  }

  @Test("FLEET-165: the streams of a fleet are printed, also those that should not be there")
  func table() {
    var status = StreamStatus()
    (status.messages, status.bytes, status.first, status.last) = (5, 700, 5, 9)
    (status.replicas, status.leader) = (3, "one")
    status.copies = [true, false].map { StreamStatus.Copy(server: "x", isCurrent: $0) }
    func stream(_ log: FleetLog, _ name: String, _ state: FleetSurvey.Stream.State)
      -> FleetSurvey.Stream
    { FleetSurvey.Stream(log, name, state) }
    var table = StreamTable()
    let count = table.take(
      [
        stream(.leases, "KV_LEASES", .here(status)), stream(.fixes(0), "FIX_0", .missing),
        stream(.fixes(1), "FIX_1", .silent("nobody answers")), stream(.fixes(2), "FIX_2", .missing),
        stream(.fixes(3), "FIX_3", .here(status)),
      ], partitions: 2)
    #expect(count == 3 && table.silent == ["FIX_1: nobody answers"])
    #expect(
      table.lines == [
        "stream     messages  bytes  first  last  copies       leader",
        "KV_LEASES         5    700      5     9  3, 1 behind  one",
        "FIX_0      not there",
        "FIX_1      ?",
        "FIX_3             5    700      5     9  3, 1 behind  one",
      ])
  }
}
