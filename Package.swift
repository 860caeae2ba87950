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

/// The rules of `CoreLocation`: those of the house, but compiled as Apple's module is, so that
/// `@preconcurrency import CoreLocation` silences the compiler in apps (docs/decisions/0084). With
/// `CORELOCATION_CHECKED=1` in the environment it is checked by all rules.
let face: [SwiftSetting] =
  Context.environment["CORELOCATION_CHECKED"] == "1"
  ? house
  : house.dropFirst() + [
    .swiftLanguageMode(.v5),
    .enableExperimentalFeature("StrictConcurrency=targeted"),
    .enableUpcomingFeature("BareSlashRegexLiterals"),
    .enableUpcomingFeature("ConciseMagicFile"),
    .enableUpcomingFeature("DisableOutwardActorInference"),
    .enableUpcomingFeature("ForwardTrailingClosures"),
    .enableUpcomingFeature("GlobalActorIsolatedTypesUsability"),
    .enableUpcomingFeature("GlobalConcurrency"),
    .enableUpcomingFeature("ImplicitOpenExistentials"),
    .enableUpcomingFeature("InferSendableFromCaptures"),
    .enableUpcomingFeature("IsolatedDefaultValues"),
  ]

/// For the values that every target handles: what they do becomes part of the caller
/// (docs/decisions/0063).
let shared: [SwiftSetting] = [
  .unsafeFlags(["-enable-cmo-everything"], .when(configuration: .release))
]

/// What feeds each decoder with bytes that nobody has thought of; only with `FUZZ=1` in the environment
/// (Scripts/fuzz.sh), so that a package of an app never has it.
let fuzzers: [Target] =
  Context.environment["FUZZ"] == "1"
  ? [
    .target(
      name: "Fuzz",
      dependencies: [
        "LocationCoding", "LocationDaemon", "LocationEngine", "LocationFleet", "LocationGeocoding",
        "LocationHost", "LocationLink", "LocationModel", "LocationProviders", "LocationRadio",
        "LocationRecording", "LocationSecrets", "LocationSimulation",
      ],
      path: "Fuzz", exclude: ["Corpora", "counters.c", "decoders.txt"], swiftSettings: house)
  ] : []
let fuzzProducts: [Product] =
  fuzzers.isEmpty ? [] : [.library(name: "Fuzz", type: .static, targets: ["Fuzz"])]

let package = Package(
  name: "Meridian",
  products: [
    .library(name: "CoreLocation", targets: ["CoreLocation"]),
    .library(name: "LocationLifecycle", targets: ["LocationLifecycle"]),
    .library(name: "BeaconAdvertising", targets: ["BeaconAdvertising"]),
    .library(name: "INTULocationManager", targets: ["INTULocationManager"]),
    .library(name: "LocationTesting", targets: ["LocationTesting"]),
    .executable(name: "locationctl", targets: ["locationctl"]),
    .executable(name: "locationd", targets: ["locationd"]),
    .executable(name: "locationfleet", targets: ["locationfleet"]),
  ] + fuzzProducts,
  targets: [
    // The face: Apple's API, over a clang module of the same name.
    .target(name: "CoreLocationTypes"),
    .target(
      name: "CoreLocation",
      dependencies: [
        "CoreLocationTypes", "LocationGeocoding", "LocationHost", "LocationModel",
      ],
      swiftSettings: face),

    // One-shot requests and subscriptions, on the public API of CoreLocation alone.
    .target(
      name: "INTULocationManager", dependencies: ["CoreLocation"], swiftSettings: house),

    // For app frameworks: where an app is in its life.
    .target(
      name: "LocationLifecycle", dependencies: ["CoreLocation", "LocationModel"],
      swiftSettings: house),

    // Being a beacon, which on Apple's systems is CoreBluetooth's.
    .target(
      name: "BeaconAdvertising", dependencies: ["CoreLocation", "LocationModel"],
      swiftSettings: house),

    // Pure: no clock, no file, no thread.
    .target(name: "LocationModel", swiftSettings: house + shared),
    // The one encoding of values: on the wire, in the state, and in recordings.
    .target(name: "LocationCoding", dependencies: ["LocationModel"], swiftSettings: house),
    // Keys, and functions that cannot be predicted without them (docs/decisions/0015); pure.
    .systemLibrary(
      name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
    .target(name: "LocationSecrets", dependencies: ["CSodium"], swiftSettings: house),
    .target(
      name: "LocationEngine",
      dependencies: ["LocationCoding", "LocationModel", "LocationSecrets"],
      swiftSettings: house),
    // The map of what is heard where, learned on this computer; pure (docs/decisions/0080).
    .target(
      name: "LocationRadio", dependencies: ["LocationCoding", "LocationModel", "LocationSecrets"],
      swiftSettings: house),
    .target(name: "LocationProviders", dependencies: ["LocationModel"], swiftSettings: house),
    .target(
      name: "LocationRecording",
      dependencies: ["LocationSecrets", "LocationCoding", "LocationEngine", "LocationModel"],
      swiftSettings: house),
    .target(
      name: "LocationService",
      dependencies: [
        "LocationSecrets", "LocationEngine", "LocationProviders", "LocationModel",
        "LocationRadio", "LocationRecording",
      ],
      swiftSettings: house),

    // The engine of many devices over shared fences, linked into no app (docs/decisions/0103); pure.
    .target(
      name: "LocationFleet",
      dependencies: [
        "LocationCoding", "LocationEngine", "LocationModel", "LocationProviders", "LocationSecrets",
      ],
      swiftSettings: house),

    // The worker's way to NATS JetStream, linked into no app and no daemon (docs/decisions/0117).
    .systemLibrary(
      name: "CNATS", pkgConfig: "libnats", providers: [.apt(["libnats-dev"])]),
    .target(
      name: "LocationFleetNATS",
      dependencies: ["CNATS", "LocationFleet", "LocationModel", "LocationProviders"],
      swiftSettings: house),

    // The words between a daemon and its clients, as bytes; pure.
    .target(
      name: "LocationLink", dependencies: ["LocationCoding", "LocationModel"],
      exclude: [
        "org.meridian.location.varlink", "org.meridian.administration.varlink",
        "org.meridian.agent.varlink",
      ], swiftSettings: house),

    // Everything that touches Linux.
    .target(name: "CLinux"),
    .systemLibrary(
      name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
    .target(
      name: "LocationHost",
      dependencies: [
        "LocationSecrets", "CLinux", "CSystemd", "CXCB", "LocationCoding", "LocationEngine",
        "LocationLink", "LocationModel", "LocationProviders", "LocationRadio",
        "LocationRecording", "LocationService", "LocationSQLite", "LocationWeb",
      ],
      swiftSettings: house),

    // What the daemon adds: its server, its owner's interface, who is trusted, launching.
    .target(
      name: "LocationDaemon",
      dependencies: [
        "CLinux", "CSystemd", "LocationCoding", "LocationEngine", "LocationFleet", "LocationHost",
        "LocationLink", "LocationModel", "LocationProviders", "LocationRadio", "LocationSecrets",
        "LocationService",
      ],
      swiftSettings: house),

    // The virtual world, pure, and its door for other people's tests.
    .target(
      name: "LocationSimulation",
      dependencies: ["LocationService", "LocationEngine", "LocationModel", "LocationProviders"],
      swiftSettings: house),
    .target(name: "CVirtualTime"),
    .target(
      name: "LocationTesting",
      dependencies: [
        "CoreLocation", "CVirtualTime", "LocationEngine", "LocationGeocoding", "LocationModel",
        "LocationSimulation",
      ],
      swiftSettings: house),

    // One wrapper, for the durable state and the place index.
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .target(name: "LocationSQLite", dependencies: ["CSQLite"], swiftSettings: house),

    // Servers that a person has named: geocoders, location services.
    .target(name: "CCurl"),
    .target(
      name: "LocationWeb", dependencies: ["CCurl", "LocationModel"], swiftSettings: house),

    .target(name: "CXCB"),

    // The server of the console, loaded where it is opened (docs/decisions/0116).
    .target(name: "CMicroHTTPD", dependencies: ["CLinux"]),

    // The place index.
    .target(
      name: "LocationGeocoding",
      dependencies: [
        "LocationModel", "LocationSQLite", "LocationWeb",
      ],
      swiftSettings: house),

    .executableTarget(
      name: "locationctl",
      dependencies: [
        "CLinux", "CMicroHTTPD", "LocationCoding", "LocationEngine", "LocationFleet",
        "LocationGeocoding", "LocationHost", "LocationLink", "LocationModel",
        "LocationProviders", "LocationRadio", "LocationRecording", "LocationSecrets",
        "LocationService", "LocationSimulation",
      ],
      swiftSettings: house),

    .executableTarget(
      name: "locationd", dependencies: ["LocationDaemon", "LocationHost"], swiftSettings: house),

    // What Swift's C library does not show of many descriptors, and HTTP in the thread that calls it.
    .target(name: "CIngress"),

    // PostgreSQL's library, loaded by the first sink that wants it (docs/decisions/0126).
    .target(name: "CPostgres"),

    .executableTarget(
      name: "locationfleet",
      dependencies: [
        "CCurl", "CIngress", "CPostgres", "CSystemd", "LocationFleet", "LocationFleetNATS",
        "LocationModel",
        "LocationProviders", "LocationSecrets",
      ],
      swiftSettings: house),

    // Figures, each with its baseline.
    .executableTarget(
      name: "Benchmarks",
      dependencies: [
        "CLinux", "CoreLocation", "LocationEngine", "LocationFleet", "LocationFleetNATS",
        "LocationGeocoding",
        "LocationHost", "LocationLink", "LocationModel", "LocationProviders",
        "LocationSimulation", "locationd", "locationfleet",
        "LocationCoding", "LocationRadio", "LocationSQLite", "LocationSecrets", "TestSupport",
      ],
      path: "Benchmarks",
      exclude: [
        "thresholds.json", "INTUSoak", "Circles", "Visits", "Radios/radio_peers.py",
        "Fleet/fleet_peers.py",
      ],
      swiftSettings: house),
    .executableTarget(
      name: "INTUSoak",
      dependencies: ["CoreLocation", "INTULocationManager", "TestSupport", "LocationModel"],
      path: "Benchmarks/INTUSoak", swiftSettings: house),

    // Tests.
    .target(
      name: "TestSupport",
      dependencies: [
        "CLinux", "CoreLocation", "INTULocationManager", "LocationEngine", "LocationFleet",
        "LocationHost", "LocationModel", "LocationProviders", "LocationService",
        "LocationSimulation",
      ], path: "Tests/TestSupport", swiftSettings: house),
    .testTarget(
      name: "LocationModelTests", dependencies: ["LocationModel", "TestSupport"],
      swiftSettings: house),
    .testTarget(
      name: "LocationRadioTests",
      dependencies: ["LocationCoding", "LocationModel", "LocationRadio", "LocationSecrets"],
      swiftSettings: house),
    .testTarget(
      name: "LocationCodingTests",
      dependencies: ["LocationCoding", "LocationModel", "TestSupport"],
      swiftSettings: house),
    .testTarget(
      name: "LocationLinkTests",
      dependencies: ["LocationLink", "LocationModel", "TestSupport", "LocationCoding"],
      swiftSettings: house),
    .testTarget(
      name: "LocationRecordingTests",
      dependencies: [
        "LocationCoding", "LocationSecrets", "LocationRecording", "LocationService",
        "LocationEngine", "LocationModel", "LocationProviders", "TestSupport",
      ],
      swiftSettings: house),
    .testTarget(
      name: "LocationEngineTests",
      dependencies: [
        "LocationSecrets", "LocationEngine", "LocationModel", "TestSupport", "LocationCoding",
      ],
      swiftSettings: house),
    .testTarget(
      name: "LocationFleetTests",
      dependencies: [
        "LocationCoding", "LocationEngine", "LocationFleet", "LocationModel", "LocationProviders",
        "LocationSecrets", "TestSupport",
      ],
      swiftSettings: house),
    .testTarget(
      name: "FleetWorkerTests",
      dependencies: [
        "CIngress", "LocationFleet", "LocationFleetNATS", "LocationModel", "LocationProviders",
        "LocationSecrets", "TestSupport", "locationctl", "locationd", "locationfleet",
      ],
      exclude: ["Sink/webhook.py", "Sink/listener.py"],
      swiftSettings: house),
    .testTarget(
      name: "LocationProvidersTests",
      dependencies: [
        "LocationModel", "LocationProviders", "LocationSimulation", "TestSupport",
      ],
      swiftSettings: house),
    .testTarget(
      name: "LocationGeocodingTests",
      dependencies: [
        "LocationGeocoding", "LocationModel", "LocationSQLite", "TestSupport",
      ],
      exclude: ["Web/Server"],
      swiftSettings: house),
    .testTarget(
      name: "BusTests",
      dependencies: [
        "HostProgram", "LaunchedApp", "TestSupport", "LocationDaemon", "LocationEngine",
        "LocationHost", "LocationModel", "LocationProviders", "LocationService", "locationctl",
        "locationd",
      ],
      exclude: ["Mocks"], swiftSettings: house),
    .testTarget(name: "HouseTests", swiftSettings: house),
    .testTarget(
      name: "LocationSimulationTests",
      dependencies: [
        "LocationSimulation", "LocationEngine", "LocationProviders", "LocationModel",
        "TestSupport",
      ],
      swiftSettings: house),
    .testTarget(
      name: "LocationTestingTests",
      dependencies: [
        "BeaconAdvertising", "CVirtualTime", "LocationTesting", "LocationLifecycle", "CoreLocation",
      ],
      swiftSettings: house),
    .testTarget(
      name: "CoreLocationTests",
      dependencies: ["CoreLocation", "LocationGeocoding", "LocationModel"],
      swiftSettings: house),
    .testTarget(
      name: "LocationctlTests",
      dependencies: [
        "CLinux", "LocationCoding", "LocationGeocoding", "LocationHost", "LocationLink",
        "LocationModel", "LocationProviders", "LocationRadio", "LocationService",
        "LocationSimulation", "TestSupport", "locationctl",
      ],
      swiftSettings: house),
    .testTarget(
      name: "INTULocationManagerTests",
      dependencies: [
        "CoreLocation", "INTULocationManager", "LocationService", "LocationEngine", "LocationHost",
        "LocationModel", "LocationProviders", "TestSupport",
      ],
      swiftSettings: house),

    // Tests of real parts: programs, descriptors, disk.
    .executableTarget(
      name: "HostProgram",
      dependencies: [
        "LocationHost", "LocationService", "LocationEngine", "LocationModel", "LocationProviders",
        "CSQLite",
      ],
      path: "Tests/Programs/HostProgram", swiftSettings: house),
    .executableTarget(
      name: "ClassicApp", dependencies: ["CoreLocation"], path: "Tests/Programs/ClassicApp",
      swiftSettings: house),
    .executableTarget(
      name: "AsyncApp", dependencies: ["CoreLocation"], path: "Tests/Programs/AsyncApp",
      swiftSettings: house),
    .executableTarget(
      name: "WindowApp", dependencies: ["CoreLocation"], path: "Tests/Programs/WindowApp",
      swiftSettings: house),
    .executableTarget(
      name: "LaunchedApp", dependencies: ["CoreLocation", "LocationLifecycle"],
      path: "Tests/Programs/LaunchedApp",
      swiftSettings: house),
    .executableTarget(
      name: "CellApp", dependencies: ["CoreLocation", "LocationLifecycle"],
      path: "Tests/Programs/CellApp", swiftSettings: house),
    .executableTarget(name: "ForgedProgram", path: "Tests/Programs/ForgedProgram"),
    .testTarget(
      name: "LocationServiceTests",
      dependencies: [
        "LocationEngine", "LocationModel", "LocationProviders", "LocationRadio",
        "LocationRecording", "LocationService", "LocationSimulation", "TestSupport",
      ], swiftSettings: house),
    .testTarget(
      name: "LocationHostTests",
      dependencies: [
        "LocationSecrets", "CSQLite", "HostProgram", "LocationDaemon", "LocationEngine",
        "LocationFleet", "LocationGeocoding", "LocationHost", "LocationLink", "LocationModel",
        "LocationProviders",
        "LocationRadio", "LocationRecording", "LocationService", "LocationSimulation",
        "LocationCoding", "TestSupport",
      ], swiftSettings: house),
    .testTarget(
      name: "ReceiverTests",
      dependencies: [
        "HostProgram", "LocationHost", "LocationModel", "LocationProviders", "LocationService",
        "LocationSimulation", "LocationWeb", "TestSupport", "locationctl",
      ], exclude: ["Ichnaea/service.py"], swiftSettings: house),
    .testTarget(
      name: "DaemonTests",
      dependencies: [
        "LocationDaemon", "AsyncApp", "CLinux", "ClassicApp", "HostProgram", "TestSupport",
        "LaunchedApp", "LocationHost", "LocationLink", "LocationModel", "locationctl", "locationd",
        "CellApp", "ForgedProgram", "LocationCoding", "LocationEngine", "LocationSimulation",
        "WindowApp",
      ], exclude: ["Network"], swiftSettings: house),
    .testTarget(
      name: "EndToEndTests",
      dependencies: [
        "LocationDaemon",
        "CoreLocation", "LocationHost", "LocationEngine", "LocationModel", "LocationProviders",
        "TestSupport", "ClassicApp", "AsyncApp", "HostProgram", "locationd",
      ], swiftSettings: house),
  ] + fuzzers
)
