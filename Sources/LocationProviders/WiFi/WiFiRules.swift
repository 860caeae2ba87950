/// What a Wi-Fi radio may send and receive: its regulatory domain, as the kernel reports it.
package struct WiFiRules: Hashable, Sendable {
  /// The radio that has these rules for itself; `nil` for those of all others.
  package var radio: Int?
  /// A country by ISO 3166, or ``world``, `98` for what several countries permit, or `99` for the
  /// rules of the radio's maker.
  package var country: String
  /// Whether the firmware of the radio decides, and not the kernel.
  package var isOfFirmware: Bool
  /// The bands in which the radio only listens, until it hears that it may send.
  package var quiet: [Band]
  /// The bands in which there is nothing that it may use.
  package var closed: [Band]

  /// A band of Wi-Fi.
  package enum Band: CaseIterable, Hashable, Sendable, CustomStringConvertible {
    case two
    case five
    case six

    /// In gigahertz, for a person.
    package var description: String {
      switch self {
      case .two: "2.4"
      case .five: "5"
      case .six: "6"
      }
    }

    /// Kilohertz.
    fileprivate var range: Range<UInt32> {
      switch self {
      case .two: 2_400_000..<2_500_000
      case .five: 5_150_000..<5_925_000
      case .six: 5_925_000..<7_125_000
      }
    }
  }

  package init(
    radio: Int? = nil, country: String, isOfFirmware: Bool = false, quiet: [Band] = [],
    closed: [Band] = []
  ) {
    self.radio = radio
    self.country = country
    self.isOfFirmware = isOfFirmware
    self.quiet = quiet
    self.closed = closed
  }

  /// Whether no country is set, so that only what is permitted everywhere may be used.
  package var isOfNoCountry: Bool { country == Self.world }

  /// Reads the attributes of an answer; `nil` when no country is among them.
  init?(_ attributes: [NetlinkAttribute]) throws(NL80211.Fault) {
    guard let country = attributes[type: Attribute.country]?.text, Self.isCountry(country) else {
      return nil
    }
    guard let list = NetlinkAttribute.split(attributes[type: Attribute.rules]?.value ?? []) else {
      throw .torn
    }
    var (used, open): (Set<Band>, Set<Band>) = ([], [])
    for entry in list {
      guard let fields = NetlinkAttribute.split(entry.value) else { throw .torn }
      guard let start = fields[type: Field.start]?.number(UInt32.self),
        let end = fields[type: Field.end]?.number(UInt32.self), start < end
      else { continue }
      let bands = Band.allCases.filter { $0.range.overlaps(start..<end) }
      used.formUnion(bands)
      let flags = fields[type: Field.flags]?.number(UInt32.self) ?? 0
      if flags & Self.noRadiation == 0 { open.formUnion(bands) }
    }
    self.country = country
    radio = attributes[type: Attribute.radio]?.number(UInt32.self).map { Int($0) }
    isOfFirmware = attributes[type: Attribute.ofFirmware] != nil
    quiet = Band.allCases.filter { used.contains($0) && !open.contains($0) }
    closed = Band.allCases.filter { !used.contains($0) }
  }

  /// Two letters, or two digits for what is no country.
  private static func isCountry(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    let letters = UInt8(ascii: "A")...UInt8(ascii: "Z")
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    return bytes.count == 2
      && (bytes.allSatisfy(letters.contains) || bytes.allSatisfy(digits.contains))
  }

  /// The country that stands for all.
  package static let world = "00"
  /// `NL80211_RRF_NO_IR`.
  private static let noRadiation: UInt32 = 1 << 7

  private enum Attribute {
    static let radio: UInt16 = 1
    static let country: UInt16 = 33
    static let rules: UInt16 = 34
    static let ofFirmware: UInt16 = 216
  }

  private enum Field {
    static let flags: UInt16 = 1
    static let start: UInt16 = 2
    static let end: UInt16 = 3
  }
}
