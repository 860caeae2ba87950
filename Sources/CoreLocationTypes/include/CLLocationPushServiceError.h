#pragma once
#include "CLEnumeration.h"

/// Why location pushes failed: the codes of `CLLocationPushServiceError`.
CL_OPEN_ENUM(long, CLLocationPushServiceErrorCode) {
  /// No further reason.
  CLLocationPushServiceErrorUnknown = 0,
  /// The app has no push extension.
  CLLocationPushServiceErrorMissingPushExtension = 1,
  /// The app names no push server.
  CLLocationPushServiceErrorMissingPushServerEnvironment = 2,
  /// The app lacks the entitlement.
  CLLocationPushServiceErrorMissingEntitlement = 3,
  /// The platform has no location pushes.
  CLLocationPushServiceErrorUnsupportedPlatform = 4,
} CLLocationPushServiceErrorCode;
