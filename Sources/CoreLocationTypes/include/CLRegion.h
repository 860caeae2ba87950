#pragma once
#include "CLEnumeration.h"

/// Where the device is in relation to a region.
CL_CLOSED_ENUM(long, CLRegionState) {
  /// Not known.
  CLRegionStateUnknown = 0,
  /// Within the region.
  CLRegionStateInside = 1,
  /// Beyond the region.
  CLRegionStateOutside = 2,
} CLRegionState;

/// How near a beacon is.
CL_OPEN_ENUM(long, CLProximity) {
  /// Not known.
  CLProximityUnknown = 0,
  /// Within a hand's breadth.
  CLProximityImmediate = 1,
  /// Within a few meters.
  CLProximityNear = 2,
  /// Further away.
  CLProximityFar = 3,
} CLProximity;
