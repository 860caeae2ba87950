import LocationModel

/// Addresses to look up in the database of a file.
package struct GeoIPLookUp: Hashable, Sendable {
  package var path: String
  /// Each four bytes, or sixteen.
  package var addresses: [[UInt8]]

  package init(path: String, addresses: [[UInt8]]) {
    self.path = path
    self.addresses = addresses
  }

  /// Looks the addresses up.
  ///
  /// - Parameter bytes: those of the file.
  /// - Returns: what the database has for each address.
  package func answer(from bytes: some RandomAccess) -> GeoIPAnswer {
    do throws(MaxMindFault) {
      let database = try MaxMindDatabase(bytes)
      var entries: [GeoIPEntry] = []
      for address in addresses { entries.append(try database.entry(for: address)) }
      return .entries(entries)
    } catch { return error == .foreign ? .foreign : .damaged }
  }
}

/// What comes of a look-up.
package enum GeoIPAnswer: Hashable, Sendable {
  /// What the database has for each address, in their order.
  case entries([GeoIPEntry])
  /// The file is no database in the form of MaxMind.
  case foreign
  /// The database contradicts itself.
  case damaged
}

/// What a database has for an address.
package enum GeoIPEntry: Hashable, Sendable {
  /// Nothing.
  case unknown
  /// Something without coordinates, such as a country or a network.
  case unplaced
  /// What can be no place.
  case impossible
  /// Degrees, and the kilometers around it that hold 67 % of those who have the address; `nil` where the
  /// database does not say.
  case place(latitude: Double, longitude: Double, kilometers: Double?)
}

/// What is missing for a region by the address of the network.
package enum GeoIPLack: String, CaseIterable, Sendable {
  case address = "no network of this computer has a public address"
  case entry = "the database does not have the public address of this computer"
  case coordinates = "the database has no coordinates, as those of countries and of networks"
  case place = "the database has no possible place for the public address of this computer"

  var reason: ProviderStatus.Reason { .missing(rawValue) }
}
