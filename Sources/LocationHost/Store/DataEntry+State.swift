package import LocationLink
package import LocationModel
import LocationRadio

extension DataEntry {
  /// Describes a file of a damaged state by its size only.
  package init(_ file: DamagedFile) {
    self.init(domain: Self.damaged, app: "", name: file.name, value: "\(file.size)")
  }

  /// The domain of such an entry.
  package static let damaged = "damaged-file"

  package init(_ entry: StateEntry) {
    self.init(
      domain: entry.key.domain, app: entry.key.owner, name: entry.key.name,
      value: entry.key.domain == RadioMap.domain
        ? Base64.text(entry.value) : String(decoding: entry.value, as: UTF8.self))
  }
}
