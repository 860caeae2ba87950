/// This release, as persons and servers see it.
package enum Release {
  package static let version = "0.1.0"
}
