import LocationModel

extension Source {
  /// Reads a source URL.
  package init(url: String) throws(SourceFault) {
    self = try SourceURL(url).source()
  }
}

/// A source URL, split into its parts.
private struct SourceURL {
  private let url: String
  private let scheme: String
  /// The part between `//` and the next `/`; `nil` without `//`.
  private let authority: String?
  /// The part after scheme and authority, without the query.
  private let path: String
  /// The same as it is written: a URL within this one stays so.
  private let writtenPath: String
  private let query: [(name: String, value: String)]

  init(_ url: String) throws(SourceFault) {
    self.url = url
    guard let colon = url.firstIndex(of: ":") else {
      throw SourceFault(
        url: url, problem: "there is no scheme", expectation: "one of \(Self.schemes)")
    }
    scheme = url[..<colon].lowercased()
    var rest = url[url.index(after: colon)...]
    var query: Substring = ""
    if let mark = rest.firstIndex(of: "?") {
      query = rest[rest.index(after: mark)...]
      rest = rest[..<mark]
    }
    var authority: Substring?
    if rest.hasPrefix("//") {
      rest = rest.dropFirst(2)
      let slash = rest.firstIndex(of: "/") ?? rest.endIndex
      authority = rest[..<slash]
      rest = rest[slash...]
    }
    self.authority = try authority.map { text throws(SourceFault) in try Self.decoded(text, in: url)
    }
    path = try Self.decoded(rest, in: url)
    writtenPath = String(rest)
    var items: [(String, String)] = []
    for item in query.split(separator: "&") {
      let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let value = parts.count > 1 ? try Self.decoded(parts[1], in: url) : ""
      items.append((try Self.decoded(parts[0], in: url), value))
    }
    self.query = items
  }

  private static let schemes = SourceForm.all.map(\.scheme).joined(separator: ", ")

  func source() throws(SourceFault) -> Source {
    switch scheme {
    case "gpsd":
      let form = "gpsd://HOST or gpsd://HOST:PORT"
      let (host, port) = try endpoint(form, standardPort: Source.gpsdPort)
      return try receiver(.gpsd(host: try required(host, form), port: port), form)
    case "nmea": return try serial()
    case "nmea+tcp":
      let form = "nmea+tcp://HOST:PORT"
      let (host, port) = try endpoint(form, standardPort: nil)
      return try receiver(.nmeaTCP(host: try required(host, form), port: port), form)
    case "nmea+tls":
      let form = "nmea+tls://HOST:PORT, and ?ca=/PATH of the certificates to trust"
      let (host, port) = try endpoint(form, standardPort: nil)
      guard value("ca")?.hasPrefix("/") ?? true else {
        throw fault("the path of ca must begin with a slash", form)
      }
      return try receiver(
        .nmeaTLS(host: try required(host, form), port: port, authorities: value("ca")), form,
        takes: ["ca"])
    case "nmea+udp":
      let form = "nmea+udp://:PORT or nmea+udp://HOST:PORT, and ?from=ADDRESS,…"
      let (host, port) = try endpoint(form, standardPort: nil)
      let senders = try senders()
      return try receiver(
        .nmeaUDP(host: host, port: port, from: senders), form, takes: ["from"])
    case "nmea+unix":
      let form = "nmea+unix:///PATH of a socket"
      return try receiver(.nmeaUnix(path: try socket(form)), form)
    case "gpx": return try track()
    case "log":
      let form = "log:///PATH?rate=FACTOR"
      try refuseQuery(except: ["rate"], form)
      return .log(path: try file(form), rate: try factor("rate", form) ?? 1)
    case "fixed": return try fixed()
    case "fixes":
      try refuseQuery(except: [], "fixes:///PATH")
      return .fixes(path: try file("fixes:///PATH"))
    case "scans+tcp":
      let form = "scans+tcp://HOST:PORT"
      let (host, port) = try endpoint(form, standardPort: nil)
      try refuseQuery(except: [], form)
      return .scans(host: try required(host, form), port: port)
    case "bluez": return try bare(.bluez)
    case "modem": return try modem()
    case "zone": return try bare(.zone)
    case "geoip": return try database()
    case "iio": return try sensors()
    case "wifi": return try wifi()
    case "ichnaea": return .ichnaea(try service("/v1/geolocate"))
    case "geosubmit": return .geosubmit(try service("/v2/geosubmit"))
    default: throw fault("\"\(scheme)\" is not a scheme", "one of \(Self.schemes)")
    }
  }

  // MARK: Kinds of sources

  private func serial() throws(SourceFault) -> Source {
    let form = "nmea:///dev/ttyUSB0?baud=9600"
    let path = try file(form)
    let text = value("baud") ?? String(Source.standardBaud)
    guard let baud = Int(text), Source.bauds.contains(baud) else {
      throw fault(
        "\"\(text)\" is not a baud rate",
        "one of \(Source.bauds.map(String.init).joined(separator: ", "))")
    }
    return try receiver(.nmeaSerial(path: path, baud: baud), form, takes: ["baud"])
  }

  /// Returns a receiver, as a resting source when the query says so.
  private func receiver(
    _ source: Source, _ form: String, takes others: [String] = []
  ) throws(SourceFault) -> Source {
    try refuseQuery(except: others + ["rest"], form)
    return try flag("rest") ?? false ? .resting(source) : source
  }

  /// Returns the permitted senders; everyone when the query does not name any.
  private func senders() throws(SourceFault) -> [AddressRange] {
    guard let text = value("from") else { return [] }
    var senders: [AddressRange] = []
    for word in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let sender = AddressRange(String(word)) else {
        throw fault(
          "\"\(word)\" is not an address", "addresses, such as from=192.168.1.20,10.0.0.0/8")
      }
      senders.append(sender)
    }
    return senders
  }

  /// Returns a truth value of the query; `nil` when the query does not contain it.
  private func flag(_ name: String) throws(SourceFault) -> Bool? {
    switch value(name) {
    case nil: return nil
    case "false", "no", "0": return false
    case "", "true", "yes", "1": return true
    case let text?: throw fault("\(name) cannot be \"\(text)\"", "\(name)=true or false")
    }
  }

  private func track() throws(SourceFault) -> Source {
    let form = "gpx:///PATH?speed=FACTOR&loop=true&each=SECONDS"
    try refuseQuery(except: ["speed", "loop", "each"], form)
    let path = try file(form)
    var playback = Source.Playback()
    playback.factor = try factor("speed", form) ?? 1
    if let seconds = try factor("each", "gpx:///PATH?each=SECONDS") {
      playback.pace = .interval(seconds)
    }
    switch value("loop") {
    case nil, "false", "no", "0": playback.ending = .hold
    case "", "true", "yes", "1": playback.ending = .loop
    case "reverse": playback.ending = .reverse
    case let text?: throw fault("loop cannot be \"\(text)\"", "loop=true, false, or reverse")
    }
    return .gpx(path: path, playback)
  }

  private func fixed() throws(SourceFault) -> Source {
    let form = "fixed:LAT,LON or fixed:LAT,LON,ACCURACY"
    try refuseQuery(except: [], form)
    let fields = path.split(separator: ",", omittingEmptySubsequences: false)
    guard authority == nil, fields.count == 2 || fields.count == 3 else {
      throw fault("there must be two or three numbers", form)
    }
    var numbers: [Double] = []
    for field in fields {
      guard let number = Double(field.filter { $0 != " " }), number.isFinite else {
        throw fault("\"\(field)\" is not a number", form)
      }
      numbers.append(number)
    }
    guard numbers[0].magnitude <= 90 else {
      throw fault("the latitude is out of range", "-90 to 90")
    }
    guard numbers[1].magnitude <= 180 else {
      throw fault("the longitude is out of range", "-180 to 180")
    }
    let accuracy = numbers.count == 3 ? numbers[2] : Source.standardAccuracy
    guard accuracy > 0 else { throw fault("the accuracy is not positive", "meters above 0") }
    return .fixed(Coordinate(latitude: numbers[0], longitude: numbers[1]), accuracy: accuracy)
  }

  private func sensors() throws(SourceFault) -> Source {
    let form = "iio: or iio:?motion=false"
    try refuseQuery(except: ["motion"], form)
    guard path.isEmpty, (authority ?? "").isEmpty else {
      throw fault("nothing but a query may follow the scheme", form)
    }
    return .iio(motion: try flag("motion") ?? true)
  }

  private func database() throws(SourceFault) -> Source {
    let form = "geoip:/PATH of a database of addresses, and ?address=ADDRESS"
    try refuseQuery(except: ["address"], form)
    let path = try file(form)
    guard let text = value("address") else { return .geoip(path: path) }
    guard let address = AddressRange(text), address.single != nil else {
      throw fault("\"\(text)\" is not an address", "one address, such as address=203.0.113.7")
    }
    return .geoip(path: path, address: address)
  }

  private func modem() throws(SourceFault) -> Source {
    let form = "modem: or modem:?assistance=/PATH of a file of assistance data (XTRA)"
    try refuseQuery(except: ["assistance"], form)
    guard path.isEmpty, (authority ?? "").isEmpty else {
      throw fault("nothing but a query may follow the scheme", form)
    }
    let file = value("assistance")
    guard file.map({ $0.hasPrefix("/") && $0.count > 1 }) ?? true else {
      throw fault("the path of assistance must begin with a slash", form)
    }
    return .modem(assistance: file)
  }

  private func wifi() throws(SourceFault) -> Source {
    let form = "wifi: or wifi:wlan0"
    try refuseQuery(except: [], form)
    guard (authority ?? "").isEmpty, !path.contains("/"), path.utf8.count < 16 else {
      throw fault("\"\((authority ?? "") + path)\" is not the name of an adapter", form)
    }
    return .wifi(adapter: path.isEmpty ? nil : path)
  }

  /// A location service; `standard` is where Ichnaea has what is asked.
  private func service(_ standard: String) throws(SourceFault) -> IchnaeaService {
    let form = "\(scheme):https://HOST, with ?key=KEY and &contact=ADDRESS where it wants them"
    try refuseQuery(except: ["key", "contact"], form)
    let server = WebServer(writtenPath)
    guard authority == nil, let origin = server.origin,
      !server.url.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7f })
    else { throw fault("\"\(path)\" is not the URL of a server", form) }
    if let cause = server.placeFault { throw fault("\"\(path)\" \(cause)", form) }
    guard server.isPrivate else { throw fault("addresses are sent over https only", form) }
    for name in ["key", "contact"] {
      let isPlain = value(name)?.utf8.allSatisfy { (0x21...0x7e).contains($0) } ?? true
      guard isPlain, value(name)?.contains(where: { "%&#()".contains($0) }) != true else {
        throw fault("the \(name) holds a character that no \(name) has", form)
      }
    }
    let hasPath = server.url.utf8.count > origin.utf8.count
    return IchnaeaService(
      hasPath ? server : WebServer(server.url + standard), key: value("key"),
      contact: value("contact"))
  }

  private func bare(_ source: Source) throws(SourceFault) -> Source {
    guard path.isEmpty, (authority ?? "").isEmpty, query.isEmpty else {
      throw fault("nothing may follow the scheme", "\(scheme):")
    }
    return source
  }

  // MARK: Parts

  private func endpoint(
    _ form: String, standardPort: UInt16?
  ) throws(SourceFault) -> (host: String?, port: UInt16) {
    guard let authority else { throw fault("there is no //HOST", form) }
    guard path.isEmpty || path == "/" else { throw fault("a path has no meaning here", form) }
    let (host, portText) = try split(authority, form)
    guard let portText else {
      guard let standardPort else { throw fault("there is no port", form) }
      return (host, standardPort)
    }
    guard let port = UInt16(portText), port > 0 else {
      throw fault("\"\(portText)\" is not a port", "a number from 1 to 65535")
    }
    return (host, port)
  }

  /// Splits host and port at the colon; an empty host is `nil`. IPv6 addresses are in brackets.
  private func split(
    _ authority: String, _ form: String
  ) throws(SourceFault) -> (host: String?, port: String?) {
    var host = Substring(authority)
    var rest: Substring = ""
    if authority.hasPrefix("[") {
      guard let end = authority.firstIndex(of: "]") else {
        throw fault("the bracket of the address is not closed", form)
      }
      host = authority[..<end].dropFirst()
      rest = authority[authority.index(after: end)...]
      guard rest.isEmpty || rest.hasPrefix(":") else {
        throw fault("\"\(rest)\" follows the address", form)
      }
    } else if let colon = authority.firstIndex(of: ":") {
      host = authority[..<colon]
      rest = authority[colon...]
      guard !rest.dropFirst().contains(":") else {
        throw fault("there are several colons", "an IPv6 address in brackets, such as [::1]")
      }
    }
    let signs = ".-_" + (authority.hasPrefix("[") ? ":%" : "")
    let isPlain = host.allSatisfy {
      $0.isASCII && ($0.isLetter || $0.isNumber || signs.contains($0))
    }
    guard isPlain else {
      throw fault("\"\(host)\" is not the name or address of a host", form)
    }
    return (host.isEmpty ? nil : String(host), rest.isEmpty ? nil : String(rest.dropFirst()))
  }

  private func required(_ host: String?, _ form: String) throws(SourceFault) -> String {
    guard let host else { throw fault("there is no host", form) }
    return host
  }

  private func file(_ form: String) throws(SourceFault) -> String {
    guard (authority ?? "").isEmpty else {
      throw fault(
        "\"\(authority ?? "")\" stands where a host would", "three slashes before the path: \(form)"
      )
    }
    guard path.hasPrefix("/"), path.count > 1 else {
      throw fault("there is no absolute path", form)
    }
    return path
  }

  /// The path of a socket, which the system bounds.
  private func socket(_ form: String) throws(SourceFault) -> String {
    let path = try file(form)
    guard path.utf8.count < 108 else {
      throw fault("the path of a socket is shorter", "at most 107 bytes")
    }
    return path
  }

  private func factor(_ name: String, _ form: String) throws(SourceFault) -> Double? {
    guard let text = value(name) else { return nil }
    guard let number = Double(text), number >= 0.001, number <= 1_000_000 else {
      throw fault(
        "\(name) cannot be \"\(text)\"", "a number from 0.001 to 1000000, as in \(form)")
    }
    return number
  }

  private func value(_ name: String) -> String? { query.first { $0.name == name }?.value }

  private func refuseQuery(except known: [String], _ form: String) throws(SourceFault) {
    for (index, item) in query.enumerated() {
      guard known.contains(item.name) else { throw fault("\"\(item.name)\" is not known", form) }
      guard !query[..<index].contains(where: { $0.name == item.name }) else {
        throw fault("\"\(item.name)\" is given twice", form)
      }
    }
  }

  private func fault(_ problem: String, _ expectation: String) -> SourceFault {
    SourceFault(url: url, problem: problem, expectation: expectation)
  }

  /// Resolves `%XX`.
  private static func decoded(_ text: Substring, in url: String) throws(SourceFault) -> String {
    var bytes: [UInt8] = []
    var rest = text.utf8
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      let digits = String(decoding: rest.prefix(2), as: UTF8.self)
      guard digits.utf8.count == 2, digits.allSatisfy(\.isHexDigit),
        let value = UInt8(digits, radix: 16), value != 0
      else {
        throw SourceFault(
          url: url, problem: "\"%\(digits)\" is not a percent escape",
          expectation: "two hexadecimal digits behind %, and %25 for % itself")
      }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    guard let decoded = String(validating: bytes, as: UTF8.self) else {
      throw SourceFault(url: url, problem: "the escapes are not UTF-8", expectation: "UTF-8")
    }
    return decoded
  }
}
