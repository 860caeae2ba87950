package import LocationModel

/// The words of GeoClue's interface on D-Bus, as its version 2.7 has them.
package enum GeoClue {
  package static let name = "org.freedesktop.GeoClue2"
  /// Every object is below this path.
  package static let root = "/org/freedesktop/GeoClue2"
  static let manager = Interface.manager.rawValue
  static let client = Interface.client.rawValue
  static let location = Interface.location.rawValue
  package static let managerPath = root + "/Manager"
  static let properties = "org.freedesktop.DBus.Properties"
  static let introspectable = "org.freedesktop.DBus.Introspectable"

  enum Interface: String, Sendable {
    case manager = "org.freedesktop.GeoClue2.Manager"
    case client = "org.freedesktop.GeoClue2.Client"
    case location = "org.freedesktop.GeoClue2.Location"
  }

  /// The objects, by their paths.
  enum Place: Hashable, Sendable {
    case root
    case manager
    case client(Int)
    case location(client: Int, Int)

    /// `nil` for a path that no object can have.
    init?(_ path: String) {
      if path == GeoClue.root {
        self = .root
        return
      }
      guard path.hasPrefix(GeoClue.root + "/") else { return nil }
      let words = path.dropFirst(GeoClue.root.count + 1).split(
        separator: "/", omittingEmptySubsequences: false)
      switch (words.count, words[0]) {
      case (1, "Manager"): self = .manager
      case (2, "Client"):
        guard let client = Self.number(words[1]) else { return nil }
        self = .client(client)
      case (4, "Client"):
        guard words[2] == "Location", let client = Self.number(words[1]),
          let number = Self.number(words[3])
        else { return nil }
        self = .location(client: client, number)
      default: return nil
      }
    }

    /// As the paths are written: `01` is no other spelling of 1.
    private static func number(_ word: Substring) -> Int? {
      Int(word).flatMap { $0 >= 0 && "\($0)" == word ? $0 : nil }
    }
  }

  static func path(client: Int) -> String { "\(root)/Client/\(client)" }

  static func path(client: Int, location: Int) -> String {
    "\(path(client: client))/Location/\(location)"
  }
}

/// How exact positions a client of GeoClue asks for, and how exact those of the sources are.
package enum GeoClueLevel: UInt32, Comparable, CaseIterable, Sendable {
  case none = 0
  case country = 1
  case city = 4
  case neighborhood = 5
  case street = 6
  case exact = 8

  /// The greatest level that is not above a number.
  package init(atMost number: UInt32) {
    self = Self.allCases.last { $0.rawValue <= number } ?? .none
  }

  package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

  /// The accuracy that a client with this level asks the engine for. Nothing below a street is more
  /// than the coarse place of reduced accuracy (GEOCLUE-7).
  package var accuracy: DesiredAccuracy {
    switch self {
    case .none, .country, .city, .neighborhood: .reduced
    case .street: .meters(100)
    case .exact: .best
    }
  }
}

/// A call of another program to an object of ours; the answer has the same number.
package struct BusQuestion: Hashable, Sendable {
  package var number: Int
  /// The unique name of the caller's connection, written by the bus itself.
  package var sender: String
  package var call: BusSignal

  package init(number: Int, sender: String, call: BusSignal) {
    self.number = number
    self.sender = sender
    self.call = call
  }
}

/// What a call is answered with.
package enum BusResponse: Hashable, Sendable {
  case values([BusValue])
  /// The error's name, and a sentence for a person.
  case error(String, String)

  static let done = BusResponse.values([])

  static func denied(_ text: String = "Access denied") -> Self {
    .error("org.freedesktop.DBus.Error.AccessDenied", text)
  }

  static func tooMany(_ text: String) -> Self {
    .error("org.freedesktop.DBus.Error.LimitsExceeded", text)
  }

  static func invalid(_ text: String) -> Self {
    .error("org.freedesktop.DBus.Error.InvalidArgs", text)
  }

  static func missing(_ text: String) -> Self {
    .error("org.freedesktop.DBus.Error.UnknownMethod", text)
  }
}
