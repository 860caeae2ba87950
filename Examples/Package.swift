// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Examples",
  dependencies: [.package(name: "Meridian", path: "..")],
  targets: [
    .executableTarget(
      name: "Whereabouts", dependencies: [.product(name: "CoreLocation", package: "Meridian")],
      exclude: ["Whereabouts.plist"],
      swiftSettings: [.swiftLanguageMode(.v6)]),
    // The code of the documentation.
    .executableTarget(
      name: "FirstLocation",
      dependencies: [.product(name: "CoreLocation", package: "Meridian")],
      swiftSettings: [.swiftLanguageMode(.v6)]),
  ]
)
