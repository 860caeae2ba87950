/// Registers Apple's class names, without the module prefix, with the archivers.
///
/// An archive from an Apple device can be read here. The other direction depends on Foundation:
/// that of Swift 6.3 looks up a class under another key than the one it stores it under, and writes
/// the name with the module. Runs when the program is loaded (see `CoreLocationTypes.c`), because
/// an archive may be read before any other call.
@_cdecl("CoreLocationRegisterArchiveNames")
func registerArchiveNames() {
  let classes: [(AnyClass, String)] = [
    (CLLocation.self, "CLLocation"),
    (CLFloor.self, "CLFloor"),
    (CLLocationSourceInformation.self, "CLLocationSourceInformation"),
    (CLHeading.self, "CLHeading"),
    (CLVisit.self, "CLVisit"),
    (CLRegion.self, "CLRegion"),
    (CLCircularRegion.self, "CLCircularRegion"),
    (CLBeaconRegion.self, "CLBeaconRegion"),
    (CLBeacon.self, "CLBeacon"),
    (CLBeaconIdentityConstraint.self, "CLBeaconIdentityConstraint"),
    (CLPlacemark.self, "CLPlacemark"),
  ]
  for (type, name): (AnyClass, String) in classes {
    NSKeyedArchiver.setClassName(name, for: type)
    NSKeyedUnarchiver.setClass(type, forClassName: name)
  }
}
