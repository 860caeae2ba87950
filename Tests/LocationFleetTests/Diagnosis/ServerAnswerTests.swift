import Testing

@testable import LocationFleet

@Suite("What servers answer to the diagnosis of a fleet")
struct ServerAnswerTests {
  @Test("FLEET-86: what a server answers of a stream is read, and other bytes are none")
  func decoding() throws {
    let text = """
      {"type":"io.nats.jetstream.api.v1.stream_info_response","config":{"name":"FIX_0",\
      "num_replicas":3,"max_age":259200000000000},"state":{"messages":5,"last_seq":9},\
      "cluster":{"name":"fleet","leader":"one","replicas":[{"name":"two","current":true,"lag":4},\
      {"name":"three","current":false,"offline":true}]}}
      """
    let status = try #require(StreamStatus(Array(text.utf8)))
    #expect((status.replicas, status.messages, status.last) == (3, 5, 9))
    #expect(status.age == 72 * 3600 * 1_000_000_000 && status.hasLeader)
    #expect(status.copies.map(\.server) == ["two", "three"])
    #expect(status.copies.map(\.isOffline) == [false, true] && status.copies[0].lag == 4)
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
}
