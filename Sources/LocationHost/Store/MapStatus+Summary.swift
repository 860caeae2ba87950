package import LocationLink
package import LocationRadio

extension MapStatus {
  /// The same for the wire.
  package init(_ summary: RadioMapSummary) {
    self.init(kind: summary.kind.rawValue)
    transmitters = summary.transmitters
    blocked = summary.blocked
    imported = summary.imported
    area = summary.area
    oldest = summary.oldest
    newest = summary.newest
    bytes = summary.bytes
  }
}
