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
    .executableTarget(
      name: "Forecast",
      dependencies: [
        .product(name: "CoreLocation", package: "Meridian"),
        .product(name: "INTULocationManager", package: "Meridian"),
      ],
      exclude: ["Forecast.plist"],
      swiftSettings: [.swiftLanguageMode(.v6)]),
    // The code of the documentation.
    .executableTarget(
      name: "FirstLocation",
      dependencies: [.product(name: "CoreLocation", package: "Meridian")],
      swiftSettings: [.swiftLanguageMode(.v6)]),
    // What a framework for apps with windows does.
    .target(
      name: "WindowedApp",
      dependencies: [.product(name: "LocationLifecycle", package: "Meridian")],
      swiftSettings: [.swiftLanguageMode(.v6)]),
    // The app of the article on testing, with its tests in virtual time. To copy: Template.
    .target(
      name: "Errands", dependencies: [.product(name: "CoreLocation", package: "Meridian")],
      swiftSettings: [.swiftLanguageMode(.v6)]),
    .testTarget(
      name: "ErrandsTests",
      dependencies: [
        "Errands", .product(name: "LocationTesting", package: "Meridian"),
        .product(name: "CoreLocation", package: "Meridian"),
      ],
      swiftSettings: [.swiftLanguageMode(.v6)]),
  ]
)
