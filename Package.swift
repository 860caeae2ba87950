// swift-tools-version: 6.2
import PackageDescription

/// The rules every Swift target of the house obeys.
let house: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let package = Package(
  name: "Meridian",
  products: [
    .library(name: "CoreLocation", targets: ["CoreLocation"]),
    .executable(name: "locationctl", targets: ["locationctl"]),
  ],
  targets: [
    // The face: Apple's API, over a clang module of the same name.
    .target(name: "CoreLocationTypes"),
    .target(
      name: "CoreLocation",
      dependencies: [
        "CoreLocationTypes", "LocationHost", "LocationModel", "CLinux", "CSQLite",
      ],
      swiftSettings: house),

    // Pure: no clock, no file, no thread.
    .target(name: "LocationModel", swiftSettings: house),
    .target(name: "LocationEngine", dependencies: ["LocationModel"], swiftSettings: house),
    .target(name: "LocationProviders", dependencies: ["LocationModel"], swiftSettings: house),
    .target(
      name: "LocationCore",
      dependencies: ["LocationEngine", "LocationProviders", "LocationModel"],
      swiftSettings: house),

    // Everything that touches Linux.
    .target(name: "CLinux"),
    .systemLibrary(
      name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
    .target(
      name: "LocationHost",
      dependencies: [
        "LocationCore", "LocationEngine", "LocationModel", "LocationProviders", "CLinux",
        "CSQLite", "CSystemd",
      ],
      swiftSettings: house),

    // The place index.
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .target(name: "CCurl"),
    .target(
      name: "LocationGeocoding", dependencies: ["LocationModel", "CSQLite", "CCurl"],
      swiftSettings: house),

    .executableTarget(
      name: "GeocodingBenchmark", dependencies: ["LocationGeocoding", "LocationModel"],
      path: "Benchmarks/Geocoding", swiftSettings: house),

    .executableTarget(
      name: "locationctl", dependencies: ["LocationModel"], swiftSettings: house),

    // Figures, each with its baseline.
    .executableTarget(
      name: "Benchmarks", dependencies: ["LocationModel", "LocationEngine"], path: "Benchmarks",
      exclude: ["Geocoding"],
      swiftSettings: house),

    // Tests.
    .target(
      name: "MachineTesting", dependencies: ["LocationModel"], path: "Tests/MachineTesting",
      swiftSettings: house),
    .testTarget(
      name: "LocationModelTests", dependencies: ["LocationModel", "MachineTesting"],
      swiftSettings: house),
    .testTarget(
      name: "LocationEngineTests",
      dependencies: ["LocationEngine", "LocationModel", "MachineTesting"],
      swiftSettings: house),
    .testTarget(
      name: "LocationProvidersTests",
      dependencies: ["LocationProviders", "LocationModel", "MachineTesting"],
      swiftSettings: house),
    .testTarget(
      name: "LocationGeocodingTests",
      dependencies: ["LocationGeocoding", "LocationModel", "MachineTesting"],
      swiftSettings: house),
    .testTarget(
      name: "BusTests",
      dependencies: ["LocationHost", "LocationCore", "LocationEngine", "LocationModel", "LocationProviders"],
      exclude: ["Mocks"], swiftSettings: house),
    .testTarget(name: "HouseTests", swiftSettings: house),
    .testTarget(
      name: "CoreLocationTests", dependencies: ["CoreLocation", "LocationModel"],
      swiftSettings: house),
  ]
)
