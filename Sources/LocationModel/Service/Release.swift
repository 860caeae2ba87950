/// This release, as persons and servers see it; packages take the version from here.
package enum Release {
  package static let version = "0.1.0"
}
