/// The best accuracy of the hardware, helped by motion sensors: for navigation on mains power.
public let kCLLocationAccuracyBestForNavigation: CLLocationAccuracy = -2

/// The best accuracy of the hardware.
public let kCLLocationAccuracyBest: CLLocationAccuracy = -1

/// Ten meters.
public let kCLLocationAccuracyNearestTenMeters: CLLocationAccuracy = 10

/// A hundred meters.
public let kCLLocationAccuracyHundredMeters: CLLocationAccuracy = 100

/// A kilometer, in meters.
public let kCLLocationAccuracyKilometer: CLLocationAccuracy = 1_000

/// Three kilometers, in meters.
public let kCLLocationAccuracyThreeKilometers: CLLocationAccuracy = 3_000

/// The accuracy for an app that has only reduced accuracy: some kilometers.
public let kCLLocationAccuracyReduced: CLLocationAccuracy = 6_380_000

/// Every movement is delivered (LOC-19).
public let kCLDistanceFilterNone: CLLocationDistance = -1

/// Every turn is delivered (LOC-19).
public let kCLHeadingFilterNone: CLLocationDegrees = -1

/// Without limit, in meters (LOC-19).
public let CLLocationDistanceMax: CLLocationDistance = .greatestFiniteMagnitude

/// Without limit, in seconds (LOC-19).
public let CLTimeIntervalMax: TimeInterval = .greatestFiniteMagnitude
