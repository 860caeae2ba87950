#pragma once
#include <stdint.h>
#include "CLEnumeration.h"

/// Whether the app may know where the device is.
CL_OPEN_ENUM(int32_t, CLAuthorizationStatus) {
  /// The person was not asked yet.
  kCLAuthorizationStatusNotDetermined = 0,
  /// A policy forbids it; the person cannot change that.
  kCLAuthorizationStatusRestricted = 1,
  /// The person said no, or location services are switched off.
  kCLAuthorizationStatusDenied = 2,
  /// At any time.
  kCLAuthorizationStatusAuthorizedAlways = 3,
  /// While the app is in use.
  kCLAuthorizationStatusAuthorizedWhenInUse = 4,
  /// The older name of always.
  kCLAuthorizationStatusAuthorized
      __attribute__((deprecated("Use authorizedAlways"))) = 3,
} CLAuthorizationStatus;

/// How exactly the app may know where the device is.
CL_OPEN_ENUM(long, CLAccuracyAuthorization) {
  /// As exactly as the hardware can tell.
  CLAccuracyAuthorizationFullAccuracy = 0,
  /// Within some kilometers.
  CLAccuracyAuthorizationReducedAccuracy = 1,
} CLAccuracyAuthorization;

/// What the person does while the app follows them.
CL_OPEN_ENUM(long, CLActivityType) {
  /// Anything else.
  CLActivityTypeOther = 1,
  /// Driving a car.
  CLActivityTypeAutomotiveNavigation = 2,
  /// Walking, running, cycling.
  CLActivityTypeFitness = 3,
  /// Moving in another vehicle: a boat, a train.
  CLActivityTypeOtherNavigation = 4,
  /// Flying.
  CLActivityTypeAirborne = 5,
} CLActivityType;

/// Which way the device is held; headings refer to its top edge.
CL_OPEN_ENUM(int32_t, CLDeviceOrientation) {
  /// Not known.
  CLDeviceOrientationUnknown = 0,
  /// Upright, top edge up.
  CLDeviceOrientationPortrait = 1,
  /// Upright, top edge down.
  CLDeviceOrientationPortraitUpsideDown = 2,
  /// Upright, top edge to the left.
  CLDeviceOrientationLandscapeLeft = 3,
  /// Upright, top edge to the right.
  CLDeviceOrientationLandscapeRight = 4,
  /// Flat, screen up.
  CLDeviceOrientationFaceUp = 5,
  /// Flat, screen down.
  CLDeviceOrientationFaceDown = 6,
} CLDeviceOrientation;
