#pragma once
#include <stdint.h>

/// The number of a group of beacons.
typedef uint16_t CLBeaconMajorValue;
/// The number of one beacon of a group.
typedef uint16_t CLBeaconMinorValue;
