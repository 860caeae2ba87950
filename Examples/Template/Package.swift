// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "HomeWatch",
  // Outside of this repository: the path of your clone, or .package(url: …, branch: "main").
  dependencies: [.package(name: "Meridian", path: "../..")],
  targets: [
    .executableTarget(
      name: "HomeWatch",
      dependencies: ["HomeLog", .product(name: "CoreLocation", package: "Meridian")],
      exclude: ["HomeWatch.plist"],
      swiftSettings: [.swiftLanguageMode(.v6)]),
    .target(
      name: "HomeLog", dependencies: [.product(name: "CoreLocation", package: "Meridian")],
      swiftSettings: [.swiftLanguageMode(.v6)]),
    .testTarget(
      name: "HomeLogTests",
      dependencies: [
        "HomeLog", .product(name: "LocationTesting", package: "Meridian"),
        .product(name: "CoreLocation", package: "Meridian"),
      ],
      swiftSettings: [.swiftLanguageMode(.v6)]),
  ]
)
