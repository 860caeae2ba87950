import LocationModel
import Testing

@Suite("The URL of a server")
struct WebServerTests {
  @Test(
    "a host is there, and what follows its colon is a port",
    arguments: [
      ("https://example.org", nil), ("https://example.org:8443/a:b", nil),
      ("http://[::1]", nil), ("http://[::1]:80/", nil), ("ftp://example.org:", nil),
      ("http://127.0.0.1:", "has a colon and no port behind it"),
      ("http://127.0.0.1:/", "has a colon and no port behind it"),
      ("http://[::1]:/", "has a colon and no port behind it"),
      ("https://:443", "has no host"),
      ("https://example.org:0", "has :0 where a port from 1 to 65535 belongs"),
      ("https://example.org:65536/", "has :65536 where a port from 1 to 65535 belongs"),
      ("https://example.org:+80", "has :+80 where a port from 1 to 65535 belongs"),
      ("https://example.org:80:80", "has :80:80 where a port from 1 to 65535 belongs"),
      ("http://[::1]80", "has 80 where a port from 1 to 65535 belongs"),
    ] as [(String, String?)])
  func place(url: String, fault: String?) {
    #expect(WebServer(url).placeFault == fault)
  }
}
